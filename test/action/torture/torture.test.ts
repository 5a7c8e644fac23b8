import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random, shareMs } from '../../../sandbox/testing/random.ts'
import { carriedOver, falseClaims } from '../../support/claim.ts'
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
/** Covers heartbeats and messages, which are outside the round's time, further rounds, and a machine under load. */
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

/** Returns what a run did wrong: to the zone, in what it says, or in how it ended. */
async function violations(
  { stage }: Lane,
  { managed, records }: UseCase,
  { run, endedMs }: Torture,
): Promise<readonly string[]> {
  const held = await stage.records()
  const at = (slot: { readonly type: string; readonly name: string }) =>
    held.filter(({ type, name }) => type === slot.type && name === slot.name)
  const wrong: string[] = []
  for (const sketch of records) {
    const slot = { type: 'A', name: 'home.example.com', ...sketch }
    const [found] = at(slot)
    const isManaged = managed.some(({ type, name }) => type === slot.type && name === slot.name)
    if (!isManaged && found?.content !== sketch.content) wrong.push(`another record lost ${sketch.content}`)
    if (found && carriedOver(found) !== carriedOver(sketch)) wrong.push(`lost ${carriedOver(sketch)}`)
  }
  const slots = managed.map(slot => ({ ...slot, contents: at(slot).map(({ content }) => content) }))
  const added = slots.filter(({ before, contents }) => before === null && contents.length > 0)
  if (held.length > records.length + added.length) wrong.push(`${held.length} records`)

  const { result, reason, changed, records: claimed = '' } = run.outputs
  const isWritten = ({ contents, before }: (typeof slots)[number]) => contents.join() !== (before ?? '')
  // The runner refuses outputs that were cut short. The run is then red, and its log is what counts.
  const lostOutputs = run.status !== 0 && run.log.includes('Failed to write the outputs')
  for (const slot of slots) {
    const { name, contents, before, after } = slot
    if (![before ?? '', after].includes(contents.join()))
      wrong.push(`${name} holds ${contents.join(' and ')}`)
    const claims = falseClaims({
      held: contents,
      wanted: after,
      isWritten: isWritten(slot),
      // The outputs say whether any of the records was changed.
      isConfirmed: slots.some(isWritten),
      result: lostOutputs ? undefined : result,
      changed: changed === 'true',
      reasons: [reason ?? '', ...(claimed.match(/write-unconfirmed/) ?? [])],
      isGreen: run.status === 0,
    })
    wrong.push(...claims.map(({ detail }) => `${name}: ${detail}`))
  }
  if (run.status === null || endedMs === null) wrong.push('had to be killed')
  else if (endedMs > roundTimeoutMs + marginMs) wrong.push(`ended after ${endedMs} ms`)
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
      'home.example.com: green, but says failed ',
    ])
    expect(await violations(lane, update, claiming({ changed: 'false' }, 1))).toEqual([
      'home.example.com: wrote, but says updated ',
    ])
    expect(await violations(lane, update, claiming({}, null))).toEqual(['had to be killed'])
    expect(await violations(lane, update, { ...good, endedMs: 60_000 })).toEqual(['ended after 60000 ms'])
    const { dnsToken } = stage.description.cloudflare
    expect(await violations(lane, update, { ...good, run: { ...good.run, files: dnsToken } })).toEqual([
      'shows the token',
    ])
    await stage.setRecords(...update.records)
    expect(await violations(lane, update, good)).toEqual([
      'home.example.com: green, but holds 192.0.2.10 instead of 203.0.113.10',
      'home.example.com: did not write, but says updated ',
    ])
    await stage.setRecords(...update.records.map(record => ({ ...record, comment: null })))
    expect(await violations(lane, update, claiming({}, 1))).toEqual([
      'lost ["the attic",[],[],false]',
      'home.example.com: did not write, but says updated ',
    ])
    await stage.setRecords({ content: '192.0.2.66' })
    expect((await violations(lane, update, claiming({}, 1))).join('\n')).toMatch(
      /another record lost 192\.0\.2\.77\nhome\.example\.com holds 192\.0\.2\.66/,
    )
  })
})

function nameOf({ useCase, fault: { kind, number, mode } }: Trial): string {
  return `${useCase.name}, ${kind} ${number} ${mode}`
}
