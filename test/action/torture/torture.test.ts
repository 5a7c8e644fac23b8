import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random, shareMs } from '../../../sandbox/testing/random.ts'
import { type Stage, startStage } from '../../support/stage.ts'
import {
  type Fault,
  faultsOf,
  roundTimeoutMs,
  startServers,
  type Torture,
  torture,
  type Urls,
  type UseCase,
  useCases,
} from './torture.ts'

/** Most runs wait for a timeout, so several share a core. */
const lanes = 2 * availableParallelism()
const sampleRuns = 30
const longShare = 0.3
/** Covers heartbeats, which are outside the round's time, further rounds, and a machine under load. */
const marginMs = 15_000

/** A sandbox of its own, so that several runs can be under way. */
interface Lane {
  readonly stage: Stage & { close(): Promise<void> }
  readonly urls: Urls & { close(): void }
}

let open: Lane[] = []

beforeAll(async () => {
  open = await Promise.all(
    Array.from({ length: lanes }, async () => {
      const stage = await startStage()
      return { stage, urls: await startServers(stage) }
    }),
  )
})

afterAll(async () => {
  for (const { stage, urls } of open) {
    urls.close()
    await stage.close()
  }
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

/** Returns what a run did wrong. */
async function violations(
  { stage }: Lane,
  { managed, records }: UseCase,
  { run, endedMs }: Torture,
): Promise<readonly string[]> {
  const held = await stage.records()
  const { result, reason, changed } = run.outputs
  const slots = managed.map(slot => ({
    ...slot,
    contents: held
      .filter(({ type, name }) => type === slot.type && name === slot.name)
      .map(one => one.content),
  }))
  const wrong: string[] = []
  const isTouched = (content: string) => !held.some(record => record.content === content)
  for (const { name, contents, before, after } of slots) {
    const allowed = before === null ? [''] : [before]
    if (![...allowed, after].includes(contents.join())) wrong.push(`${name} holds ${contents.join(' and ')}`)
  }
  const others = records.filter(({ name = 'home.example.com', type = 'A' }) =>
    managed.every(slot => slot.name !== name || slot.type !== type),
  )
  for (const { content } of others) if (isTouched(content)) wrong.push(`another record lost ${content}`)
  for (const { comment = null } of records) {
    if (comment !== null && !held.some(record => record.comment === comment)) wrong.push(`lost ${comment}`)
  }
  const added = managed.filter(
    slot => slot.before === null && slots.some(({ contents }) => contents.length > 0),
  )
  if (held.length > records.length + added.length) wrong.push(`${held.length} records`)

  const isRight = slots.every(({ contents, after }) => contents.join() === after)
  if (run.status === 0 && (result === undefined || result === 'failed'))
    wrong.push(`green with result ${result}`)
  if (run.status === 0 && !isRight) wrong.push(`green, but ${JSON.stringify(slots)}`)
  if (run.status === null || endedMs === null) wrong.push('had to be killed')
  else if (endedMs > roundTimeoutMs + marginMs) wrong.push(`ended after ${endedMs} ms`)
  const isWritten = slots.some(({ contents, before }) => contents.join() !== (before ?? ''))
  // The runner refuses outputs that were cut short. The run is then red, and its log is what counts.
  const lostOutputs = run.status !== 0 && run.log.includes('Failed to write the outputs')
  const admits = changed === 'true' || lostOutputs || /write-unconfirmed/.test(run.outputs['records'] ?? '')
  if (isWritten && result !== undefined && !admits) wrong.push(`wrote, but says ${reason}`)
  if (`${run.rawWithoutMasks}${run.files}`.includes(stage.description.cloudflare.dnsToken))
    wrong.push('shows the token')
  return wrong
}

/** Runs a use case without a fault. It has three attempts, because a machine under load can exceed the short timeouts. */
async function runWithoutFault({ stage, urls }: Lane, useCase: UseCase): Promise<Torture> {
  let whole = await torture(stage, urls, useCase, null)
  for (let attempt = 2; whole.run.status !== 0 && attempt <= 3; attempt++)
    whole = await torture(stage, urls, useCase, null)
  return whole
}

/** One operation of a use case that fails. */
interface Trial {
  readonly useCase: UseCase
  readonly fault: Fault
}

describe('any operation that fails', { concurrent: false }, () => {
  const limitMs = shareMs(longShare)
  const testTimeoutMs = (limitMs ?? 0) + 170_000

  it('writes nothing wrong, hides nothing and ends in time', { timeout: testTimeoutMs }, async () => {
    const startMs = performance.now()
    const trials: Trial[] = []
    const problems: string[] = []
    await inLanes(useCases, async (lane, useCase) => {
      const whole = await runWithoutFault(lane, useCase)
      expect(whole.run.status, `${useCase.name}: ${whole.run.log}`).toBe(0)
      expect(await violations(lane, useCase, whole)).toEqual([])
      const faults = faultsOf(whole.counts)
      expect(faults.length, useCase.name).toBeGreaterThan(50)
      trials.push(...faults.map(fault => ({ useCase, fault })))
    })
    const order = new Random()
    const shuffled = trials
      .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      .map(trial => ({ trial, rank: order.below(2 ** 31) }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ trial }) => trial)
    const chosen = limitMs === undefined ? shuffled.slice(0, sampleRuns) : shuffled
    let ran = 0
    let reached = 0
    await inLanes(chosen, async (lane, trial) => {
      if (limitMs !== undefined && performance.now() - startMs > limitMs) return
      const tortured = await torture(lane.stage, lane.urls, trial.useCase, trial.fault)
      ran++
      if (tortured.isReached) reached++
      const wrong = await violations(lane, trial.useCase, tortured)
      if (wrong.length > 0) problems.push(`${nameOf(trial)}: ${wrong.join('; ')}\n${tortured.run.raw}`)
    })
    process.stdout.write(`${ran} of ${trials.length} failing operations tried, ${reached} reached\n`)
    expect(problems.join('\n')).toBe('')
    expect(reached).toBeGreaterThan(ran * 0.8)
  })

  it('is judged by what the zone holds and what the run says', async () => {
    const [lane] = open
    const update = useCases.find(({ name }) => name === 'an update')
    if (!lane || !update) throw new Error('nothing to judge')
    const { stage } = lane
    const good = await runWithoutFault(lane, update)
    const claiming = (outputs: Readonly<Record<string, string>>, status: number | null = 0): Torture => ({
      ...good,
      run: { ...good.run, status, outputs: { ...good.run.outputs, ...outputs } },
    })
    expect(await violations(lane, update, good)).toEqual([])
    expect(await violations(lane, update, claiming({ result: 'failed' }))).toEqual([
      'green with result failed',
    ])
    expect(await violations(lane, update, claiming({ changed: 'false' }, 1))).toEqual(['wrote, but says '])
    expect(await violations(lane, update, claiming({}, null))).toEqual(['had to be killed'])
    expect(await violations(lane, update, { ...good, endedMs: 60_000 })).toEqual(['ended after 60000 ms'])
    const { dnsToken } = stage.description.cloudflare
    expect(await violations(lane, update, { ...good, run: { ...good.run, files: dnsToken } })).toEqual([
      'shows the token',
    ])
    await stage.setRecords(...update.records)
    expect(await violations(lane, update, good)).toEqual([expect.stringMatching(/^green, but /)])
    await stage.setRecords(...update.records.map(record => ({ ...record, comment: null })))
    expect(await violations(lane, update, claiming({}, 1))).toEqual(['lost the attic'])
    await stage.setRecords({ content: '192.0.2.66' })
    expect((await violations(lane, update, claiming({}, 1))).join('\n')).toMatch(
      /home\.example\.com holds 192\.0\.2\.66\nanother record lost 192\.0\.2\.77/,
    )
  })
})

function nameOf({ useCase, fault: { kind, number, mode } }: Trial): string {
  return `${useCase.name}, ${kind} ${number} ${mode}`
}
