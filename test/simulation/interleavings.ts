import { runRound } from '../../action/round.ts'
import type { HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import type { RecordType } from '../../lib/record-type.ts'
import { response } from '../support/response.ts'
import { roundOptions } from '../support/round-options.ts'
import { Sequence } from '../support/sequence.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { editorOf } from './editor.ts'
import { failure } from './faults.ts'
import { type Counts, Judge, noCounts, type Process, type WorldView } from './judge.ts'
import { baseUrl, edits, type Setup, zoneId, zoneName } from './scenario.ts'
import { readSetup } from './simulation.ts'
import { settled } from './virtual-time.ts'
import { type Commit, Zone } from './zone.ts'

/** What can happen in one step beside the requests of the runs. */
const changes = ['address-changes', ...edits] as const

/** How the response to a write can be lost. */
const losses = ['without effect', 'after effect'] as const

export interface Bounds {
  readonly maxEdits: number
  readonly maxLosses: number
}

/** A step that can come next. `Bounds` limits those that lose a response. */
interface Step {
  readonly name: string
  readonly loses?: boolean
  take(): void
}

/**
 * Walks every order in which the requests of two runs and the edits of one person can take effect. A request takes effect
 * and is answered in one step, because a run depends on nothing else. Paths end where they reach a known state:
 * what the runs have heard, what the zone holds, and what the person has left to do. The runs are alike, so a state is also
 * known if they have changed places. Returns how many states were reached, how many paths were walked to new states,
 * and the first violation with the steps that lead to it.
 */
export async function explore(setup: Setup, bounds: Bounds) {
  const known = new Set<string>()
  const counts = noCounts()
  const open: (readonly number[])[] = [[]]
  let executions = 0
  for (let prefix = open.pop(); prefix !== undefined; prefix = open.pop()) {
    executions++
    const path = [...prefix]
    const execution = new Execution(setup, bounds, counts)
    const taken: string[] = []
    for (let depth = 0; ; depth++) {
      await settled()
      if (execution.judge.violation) break
      const steps = execution.steps()
      if (depth >= prefix.length) {
        const [state, mirrored] = execution.states()
        if (known.has(state)) break
        known.add(state).add(mirrored)
        for (let other = 1; other < steps.length; other++) open.push([...path, other])
        path.push(0)
      }
      const step = steps[path[depth] ?? 0]
      if (step === undefined) {
        await execution.finish()
        break
      }
      taken.push(step.name)
      step.take()
    }
    const { violation } = execution.judge
    if (violation)
      return { states: known.size, executions, counts, violation: { ...violation, steps: taken } }
  }
  return { states: known.size, executions, counts, violation: null }
}

/** One run: the steps of its pending requests, and the responses so far. Its waits take no real time. */
class Run implements Process {
  readonly name: string
  readonly jumpedMs = 0
  readonly time = virtualClock()
  readonly pending = new Map<HttpRequest, readonly Step[]>()
  heard = ''
  isOver = false

  constructor(name: string) {
    this.name = name
  }

  now(): number {
    return this.time.clock.now()
  }
}

/** Two runs, the zone and a person, in one order of steps. */
class Execution implements WorldView {
  readonly time = { nowMs: 0 }
  readonly zone = new Zone(zoneId, zoneName)
  readonly stubborn = null
  readonly judge: Judge
  readonly #setup: Setup
  readonly #bounds: Bounds
  readonly #editor: ReturnType<typeof editorOf>
  readonly #runs = [new Run('first run'), new Run('second run')]
  #address = 1
  #edits: string[] = []
  #lost = 0
  #isCalm = false

  constructor(setup: Setup, bounds: Bounds, counts: Counts) {
    this.#setup = setup
    this.#bounds = bounds
    this.#editor = editorOf(this.zone, setup)
    if (setup.create) this.zone.add({ name: 'x.example.com', type: 'A', content: '84.7.7.7' })
    else this.#editor.furnish(() => '84.20.0.1')
    this.judge = new Judge(setup, this, counts)
    for (const run of this.#runs) this.#start(run)
  }

  address(type: RecordType): string {
    return type === 'A' ? `84.20.0.${1 + this.#address}` : ''
  }

  isCalmSince(): boolean {
    return this.#isCalm
  }

  #start(run: Run): void {
    this.judge.roundStarted(run)
    const exchange = (request: HttpRequest) =>
      new Promise<HttpOutcome>(resolve => {
        const basis = this.judge.sent(run, request, false)
        const round = this.judge.round(run)
        const asked = `${request.method} ${request.url.replace(/.*\/(?=dns_records)/, '')}`
        const answer = (outcome: HttpOutcome) => {
          run.pending.delete(request)
          run.time.pass(outcome.kind === 'failure' ? request.timeoutMs : 1)
          run.heard += `${asked} ${JSON.stringify(outcome)}\n`
          resolve(outcome)
        }
        const echo = () => {
          this.judge.voted(round, 'A', 'echo-1.example', this.address('A'))
          answer(response(this.address('A'), { contentType: 'text/plain' }))
        }
        const serve = (loss?: (typeof losses)[number]) => {
          const commits = loss !== 'without effect'
          const commit = (change: Commit) => this.judge.committed(round, change, basis, false)
          const reply = commits ? this.zone.handle(request, commit) : null
          if (loss) this.#lost++
          const heard = loss ? null : reply
          const outcome = heard ? response(heard.body, { status: heard.status }) : failure('timeout')
          this.judge.heard(run, outcome, heard?.truth ?? null)
          answer(outcome)
        }
        const name = `${run.name}: ${asked}`
        const toService = request.url.startsWith(baseUrl)
        const lost =
          request.method === 'GET'
            ? []
            : losses.map(loss => ({ name: `${name}, lost ${loss}`, loses: true, take: () => serve(loss) }))
        run.pending.set(request, [{ name, take: toService ? () => serve() : echo }, ...lost])
      })
    runRound(readSetup(this.#setup), exchange, run.time.clock, roundOptions()).then(result => {
      run.isOver = true
      this.judge.roundEnded(run, result, false)
    }, this.judge.failed)
  }

  steps(): readonly Step[] {
    const mayLose = this.#lost < this.#bounds.maxLosses
    const requests = this.#runs
      .flatMap(({ pending }) => [...pending.values()].flat())
      .filter(({ loses }) => mayLose || !loses)
    const isOver = this.#runs.every(run => run.isOver)
    if (isOver || this.#edits.length === this.#bounds.maxEdits) return requests
    return [...requests, ...changes.map(edit => ({ name: `person: ${edit}`, take: () => this.#edit(edit) }))]
  }

  #edit(edit: (typeof changes)[number]): void {
    this.#edits.push(edit)
    if (edit === 'address-changes') this.#address++
    else this.#editor.edit(edit, new Sequence(7 + this.#edits.length))
  }

  /** Returns the state, and the one in which the two runs have changed places. */
  states(): readonly [string, string] {
    const [first = '', second = ''] = this.#runs.map(run => run.heard)
    const rest = `${this.#edits.join()}|${this.#address}|${this.#lost}|${JSON.stringify(this.zone.records)}`
    return [`${first}|${second}|${rest}`, `${second}|${first}|${rest}`]
  }

  /** After the two runs, the person repairs what only a person can, and one more round must be enough. */
  async finish(): Promise<void> {
    this.#editor.repair(() => this.address('A'))
    this.#isCalm = true
    const last = new Run('last run')
    this.#start(last)
    await settled()
    for (let next = [...last.pending.values()][0]; next; next = [...last.pending.values()][0]) {
      next[0]?.take()
      await settled()
    }
    if (!last.isOver) this.judge.failed(new Error('The last run has no pending request and no result.'))
  }
}
