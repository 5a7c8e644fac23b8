import type { HttpOutcome, HttpRequest } from '../../action/exchange.ts'
import type { RecordType } from '../../action/record-type.ts'
import type { RoundResult } from '../../action/result.ts'
import { runRound } from '../../action/round.ts'
import { roundOptions } from '../support/round-options.ts'
import { Sequence } from '../support/sequence.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { type Counts, noCounts } from './counts.ts'
import { type Editor, editorOf } from './editor.ts'
import { failure, response } from './faults.ts'
import { Judge, type Process, type Violation } from './judge.ts'
import { baseUrl, recordContent, type Setup, zoneId, zoneName } from './scenario.ts'
import { readSetup, withoutStacks } from './simulation.ts'
import { Zone } from './zone.ts'

/** What the person at the dashboard can do in one step, the change of the address among them. */
const edits = [
  'address-changes',
  'content-edited',
  'fields-edited',
  'record-deleted',
  'record-doubled',
  'record-becomes-cname',
  'record-read-only',
] as const

/** How the response to a write can be lost. */
const losses = ['without-effect', 'after-effect'] as const

export interface Exploration {
  /** Different states that were reached. */
  readonly states: number
  /** Paths that were walked. Each reaches a new state. */
  readonly executions: number
  readonly counts: Counts
  /** The first violation, with the steps that lead to it. */
  readonly violation: (Violation & { readonly steps: readonly string[] }) | null
}

export interface Bounds {
  readonly maxEdits: number
  readonly maxLosses: number
}

/** A step that can come next. */
interface Step {
  readonly name: string
  take(): void
}

/**
 * Walks every order in which the requests of two runs and the edits of one person can take effect. A request takes effect
 * and is answered in one step, because a run depends on nothing else. Paths end where they reach a known state:
 * what the runs have heard, what the zone holds, and what the person has left to do. The runs are alike, so a state is also
 * known if they have changed places.
 */
export function explore(setup: Setup, bounds: Bounds): Promise<Exploration> {
  return withoutStacks(() => walk(setup, bounds))
}

async function walk(setup: Setup, bounds: Bounds): Promise<Exploration> {
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
      await execution.settled()
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

/** A request that has been sent and has not taken effect. */
interface Pending {
  readonly name: string
  readonly request: HttpRequest
  readonly isWrite: boolean
  take(loss: (typeof losses)[number] | null): void
}

/** One run: its pending requests and the responses so far. Its waits take no real time. */
class Run implements Process {
  readonly name: string
  readonly jumpedMs = 0
  readonly time = virtualClock()
  pending: readonly Pending[] = []
  heard = ''
  result: RoundResult | null = null

  constructor(name: string) {
    this.name = name
  }

  now(): number {
    return this.time.clock.now()
  }
}

/** Two runs, the zone and a person, in one order of steps. */
class Execution {
  readonly judge: Judge
  readonly #setup: Setup
  readonly #bounds: Bounds
  readonly #zone = new Zone(zoneId, zoneName)
  readonly #editor: Editor
  readonly #runs = [new Run('first run'), new Run('second run')]
  readonly #addresses = ['84.20.0.1', '84.20.0.2', '84.20.0.3', '84.20.0.4']
  #address = 1
  #edits: string[] = []
  #lost = 0
  #isCalm = false

  constructor(setup: Setup, bounds: Bounds, counts: Counts) {
    this.#setup = setup
    this.#bounds = bounds
    this.#editor = editorOf(this.#zone, setup)
    if (setup.create) this.#zone.add({ name: 'x.example.com', type: 'A', content: '84.7.7.7' })
    else this.#editor.furnish(() => this.#addresses[0] ?? '')
    const world = {
      now: () => 0,
      isCalmSince: () => this.#isCalm,
      records: () => this.#zone.records,
      address: (type: RecordType) => (type === 'A' ? this.#current() : ''),
      stubbornName: () => null,
    }
    this.judge = new Judge(setup, world, counts, () => {})
    for (const run of this.#runs) this.#start(run)
  }

  #current(): string {
    return this.#addresses[this.#address] ?? ''
  }

  #start(run: Run): void {
    this.judge.roundStarted(run)
    const exchange = (request: HttpRequest) =>
      new Promise<HttpOutcome>(resolve => {
        const basis = this.judge.sent(run, request, false)
        const round = this.judge.round(run)
        const toService = request.url.startsWith(baseUrl)
        const asked = `${request.method} ${request.url.replace(/.*\/(?=dns_records)/, '')}`
        const name = `${run.name}: ${asked}`
        const answer = (outcome: HttpOutcome, truth: Parameters<Judge['heard']>[2]) => {
          run.pending = run.pending.filter(({ request: other }) => other !== request)
          run.time.pass(outcome.kind === 'failure' ? request.timeoutMs : 1)
          run.heard += `${asked} ${JSON.stringify(outcome)}\n`
          if (toService) this.judge.heard(run, outcome, truth)
          resolve(outcome)
        }
        const serve = () =>
          this.#zone.handle(request, commit => this.judge.committed(round, commit, basis, false))
        const take = (loss: (typeof losses)[number] | null) => {
          if (!toService) {
            this.judge.voted(round, 'A', 'echo-1.example', this.#current())
            answer(response(200, this.#current(), 'text/plain'), null)
            return
          }
          const reply = loss === 'without-effect' ? null : serve()
          if (loss !== null) this.#lost++
          if (loss !== null || reply === null) answer(failure('timeout'), null)
          else answer(response(reply.status, reply.body), reply.truth)
        }
        const isWrite = request.method !== 'GET'
        run.pending = [...run.pending, { name, request, isWrite, take }]
      })
    runRound(readSetup(this.#setup), exchange, run.time.clock, roundOptions()).then(result => {
      run.result = result
      this.judge.roundEnded(run, result, false)
    }, this.judge.failed)
  }

  /** Waits until the runs have done everything that the last step causes. */
  settled(): Promise<void> {
    return new Promise(resolve => queueMicrotask(() => process.nextTick(resolve)))
  }

  steps(): readonly Step[] {
    const requests = this.#runs.flatMap(({ pending }) =>
      pending.flatMap(({ name, isWrite, take }) => [
        { name, take: () => take(null) },
        ...(isWrite && this.#lost < this.#bounds.maxLosses
          ? losses.map(loss => ({ name: `${name}, lost ${loss}`, take: () => take(loss) }))
          : []),
      ]),
    )
    const isOver = this.#runs.every(({ result }) => result !== null)
    if (isOver || this.#edits.length === this.#bounds.maxEdits) return requests
    return [...requests, ...edits.map(edit => ({ name: `person: ${edit}`, take: () => this.#edit(edit) }))]
  }

  #edit(edit: (typeof edits)[number]): void {
    this.#edits.push(edit)
    if (edit === 'address-changes') this.#address++
    else this.#editor.edit(edit, new Sequence(7 + this.#edits.length))
  }

  /** Returns the state, and the one in which the two runs have changed places. */
  states(): readonly [string, string] {
    const [first = '', second = ''] = this.#runs.map(run => run.heard)
    const rest = `${this.#edits.join()}|${this.#address}|${this.#lost}|${JSON.stringify(this.#zone.records)}`
    return [`${first}|${second}|${rest}`, `${second}|${first}|${rest}`]
  }

  /** After the two runs, the person repairs what only a person can, and one more round must be enough. */
  async finish(): Promise<void> {
    this.#editor.repair(() => recordContent(this.#current(), this.#setup))
    this.#isCalm = true
    const last = new Run('last run')
    this.#start(last)
    for (;;) {
      await this.settled()
      const [next] = last.pending
      if (next === undefined) break
      next.take(null)
    }
    if (last.result === null)
      this.judge.failed(new Error('The last run has no pending request and no result.'))
  }
}
