import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../../support/listen.ts'
import { fc, shareMs } from '../../support/random.ts'
import { type Claim, RecordJudge, type SeenRecord } from '../../support/record-judge.ts'
import { after, type Stage, startStage } from '../../support/stage.ts'
import { timeLimit } from '../../support/time-limit.ts'
import {
  type Fault,
  faultsOf,
  roundTimeoutMs,
  type Torture,
  torture,
  type UseCase,
  useCases,
} from './torture.ts'

/** Most runs wait for a timeout, so several share a core. */
const lanes = 2 * availableParallelism()
const sampleCases = 3
const sampleRuns = 12
const longShare = 0.3
/** Covers heartbeats and messages, which are outside the round's time, further rounds, and a machine under load. */
const marginMs = timeLimit(15_000)

/** Each lane has a sandbox of its own, so that several runs can be under way. */
type Lane = Stage & { close(): Promise<void> }

let open: readonly Lane[] = []
let monitorUrl = ''
const monitor = createServer((_, response) => response.end('OK'))

beforeAll(async () => {
  monitorUrl = await listen(monitor)
  open = await Promise.all(Array.from({ length: lanes }, startStage))
})

afterAll(async () => {
  monitor.close()
  for (const stage of open) await stage.close()
})

/** Works through a queue with a stage for each lane. */
async function inLanes<T>(queue: Iterable<T>, work: (lane: Lane, item: T) => Promise<void>): Promise<void> {
  const items = queue[Symbol.iterator]()
  await Promise.all(
    open.map(async lane => {
      for (let next = items.next(); !next.done; next = items.next()) await work(lane, next.value)
    }),
  )
}

/** Returns what a run did wrong: to the zone, in what it says, or in how it ended. */
async function violations(
  stage: Stage,
  { names, records: atStart }: UseCase,
  { run, start, endedMs }: Torture,
): Promise<readonly string[]> {
  const { zoneId, dnsToken } = stage.description.cloudflare
  const wrong: string[] = []
  const create = !atStart.some(({ name = 'home.example.com' }) => names.includes(name))
  const judge = new RecordJudge(
    { names, types: ['A'], create, onDrift: 'warn', dryRun: false, proxied: null, inTurn: false },
    (type, content) => {
      if (type !== 'A' || content !== after) wrong.push(`wrong ${type} ${content}`)
    },
    (rule, detail) => wrong.push(`${rule}: ${detail}`),
  )
  const held = stage.records()
  let zone: readonly SeenRecord[] = start
  for (const { service, method, path, query, body, status } of stage.journal()) {
    if (service !== 'cloudflare' || status !== 200) continue
    if (method === 'GET') {
      // Without a query, the list only shows the suffix of the names.
      if (query !== '') judge.listed(new URLSearchParams(query).get('name'), zone)
      continue
    }
    const place = path.replace(`/client/v4/zones/${zoneId}/`, '')
    judge.sent(method, place, body ?? '{}')
    const fields: SeenRecord = JSON.parse(body ?? '{}')
    const created = held.find(({ type, name }) => type === fields.type && name === fields.name)
    const record = { ...fields, id: place.split('/')[1] ?? created?.id ?? '', meta: {} }
    zone = [...zone.filter(({ id }) => id !== record.id), record]
    judge.slot(record.type, record.name).isWritten = true
    judge.answered(record)
  }
  const [written, left] = [zone, held].map(records => records.map(({ id, content }) => `${id} ${content}`))
  if (written?.toSorted().join() !== left?.toSorted().join()) wrong.push(`${left} is not ${written}`)

  // The runner refuses outputs that were cut short. The run is then red, and its log is what counts.
  const lostOutputs = run.status !== 0 && run.log.includes('Failed to write the outputs')
  const { result, changed, records = '[]' } = lostOutputs ? {} : run.outputs
  const said: readonly (Claim & { reason: string; message: string })[] = JSON.parse(records)
  // With several rounds, only `changed` tells of all.
  const whole = said.length === 1 ? { changed: changed === 'true' } : {}
  const right = said.filter(record => judge.claimed({ ...record, ...whole, problem: record }))
  if (run.status === 0 && (result === 'failed' || right.length < names.length))
    wrong.push(`green, but says ${result} ${records}`)
  if (run.status === null || endedMs === null) wrong.push('had to be killed')
  else if (endedMs > roundTimeoutMs + marginMs) wrong.push(`ended after ${endedMs} ms`)
  if (`${run.rawWithoutMasks}${run.files}`.includes(dnsToken)) wrong.push('shows the token')
  return wrong
}

/** Runs a use case without a fault. It has three attempts, because a machine under load can exceed the short timeouts. */
async function runWithoutFault(stage: Stage, useCase: UseCase): Promise<Torture> {
  let whole = await torture(stage, monitorUrl, useCase, null)
  for (let attempt = 2; whole.run.status !== 0 && attempt <= 3; attempt++)
    whole = await torture(stage, monitorUrl, useCase, null)
  return whole
}

/** One operation of a use case that fails. */
interface Trial {
  readonly useCase: UseCase
  readonly fault: Fault
}

describe('any operation that fails', { concurrent: false }, () => {
  const limitMs = shareMs(longShare)
  const testTimeoutMs = (limitMs ?? 0) + timeLimit(170_000)

  it('writes nothing wrong, hides nothing and ends in time', { timeout: testTimeoutMs }, async () => {
    const startMs = performance.now()
    const trials: Trial[] = []
    const problems: string[] = []
    const cases = limitMs === undefined ? shuffled(useCases).slice(0, sampleCases) : useCases
    await inLanes(cases, async (lane, useCase) => {
      const whole = await runWithoutFault(lane, useCase)
      expect(whole.run.status, `${useCase.name}: ${whole.run.log}`).toBe(0)
      expect(await violations(lane, useCase, whole)).toEqual([])
      const faults = faultsOf(whole.counts)
      expect(faults.length, useCase.name).toBeGreaterThan(50)
      trials.push(...faults.map(fault => ({ useCase, fault })))
    })
    const sorted = trials.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    const chosen = shuffled(sorted).slice(0, limitMs === undefined ? sampleRuns : trials.length)
    let ran = 0
    let reached = 0
    await inLanes(chosen, async (lane, trial) => {
      if (limitMs !== undefined && performance.now() - startMs > limitMs) return
      const tortured = await torture(lane, monitorUrl, trial.useCase, trial.fault)
      ran++
      if (tortured.isReached) reached++
      const wrong = await violations(lane, trial.useCase, tortured)
      if (wrong.length > 0) problems.push(`${nameOf(trial)}: ${wrong.join('; ')}\n${tortured.run.raw}`)
    })
    process.stdout.write(`${ran} of ${trials.length} failing operations tried, ${reached} reached\n`)
    expect(problems.join('\n')).toBe('')
    expect(reached).toBeGreaterThan(ran / 2)
  })
})

/** Returns the items in an order that follows from the seed. */
function shuffled<T>(items: readonly T[]): readonly T[] {
  return fc.sample(fc.shuffledSubarray([...items], { minLength: items.length }), 1).flat()
}

function nameOf({ useCase, fault: { kind, number, mode } }: Trial): string {
  return `${useCase.name}, ${kind} ${number} ${mode}`
}
