import { expect, it } from 'vitest'
import type { HttpOutcome } from '../../action/exchange.ts'
import { runRound } from '../../action/round.ts'
import { createWorkflowClock } from '../../push/workflow-clock.ts'
import { seed, shareMs } from '../../sandbox/testing/random.ts'
import { Sequence } from '../../sandbox/testing/sequence.ts'
import { response } from './faults.ts'
import { dayMs, minuteMs, planScenario, type Setup } from './scenario.ts'
import { readSetup, withoutStacks } from './simulation.ts'
import { Host } from './virtual-time.ts'
import { World } from './world.ts'

/**
 * How long a record is stale if a workflow on GitHub follows a hostname, with GitHub's scheduler alone and with the clock. A
 * ten-minute schedule was measured in 2026: 3 of 138 firings ran. The rest is assumed: the address changes once a day, GitHub
 * is away for two hours once a month, and a run begins 20 to 90 seconds after its request.
 */
const measured = { intervalMs: 10 * minuteMs, ran: 3, planned: 138 }
const tickMs = 5 * minuteMs
const changesPerDay = 1
const outage = { everyMs: 30 * dayMs, forMs: 120 * minuteMs }
const queue = { leastMs: 20_000, mostMs: 90_000 }

const setup: Setup = {
  ...planScenario(1, 0).setup,
  types: ['A'],
  names: ['home.example.com'],
  sources: 'dns',
  suffix: null,
  expectedRanges: false,
  dryRun: false,
  verifiesDns: false,
  timeoutS: 60,
}

interface Staleness {
  readonly runs: number
  readonly changes: number
  readonly staleMs: number
  readonly longestMs: number
}

/** Simulates days of a home. `schedule` plans when runs begin. */
async function simulateHome(
  days: number,
  schedule: (world: World, random: Sequence, begin: () => void) => void,
): Promise<Staleness> {
  const world = new World({ seed, days, setup, events: [] })
  const { time, judge, sources, zone } = world
  const random = new Sequence(seed)
  const inputs = readSetup(setup)
  let [runs, changes, staleMs, longestMs] = [0, 0, 0, 0]
  let staleSinceMs: number | null = null

  async function run(): Promise<void> {
    const host = new Host(`run ${++runs}`, time, random)
    judge.roundStarted(host)
    const result = await runRound(inputs, request => world.exchange(host, () => false, request), host.clock, {
      interfaces: () => sources.interfaces(host),
      dns: world.dns(host),
      onProgress: () => {},
      failedLast: new Set(),
      zones: new Map(),
    })
    judge.roundEnded(host, result, false)
    if (staleSinceMs === null || zone.records[0]?.content !== sources.current('A')) return
    staleMs += time.nowMs - staleSinceMs
    longestMs = Math.max(longestMs, time.nowMs - staleSinceMs)
    staleSinceMs = null
  }

  for (let change = 0; change < changesPerDay * days; change++)
    time.at(random.below((days * dayMs) / minuteMs) * minuteMs, () => {
      changes++
      sources.change(random, 'home')
      staleSinceMs ??= time.nowMs
    })
  schedule(world, random, () => {
    run().catch(judge.failed)
  })
  await withoutStacks(() => time.run(days * dayMs))
  expect(judge.violation).toBeNull()
  return { runs, changes, staleMs, longestMs }
}

const isAway = (ms: number) => ms % outage.everyMs > outage.everyMs - outage.forMs

function bySchedule({ time }: World, random: Sequence, begin: () => void): void {
  const fire = () => {
    time.at(time.nowMs + measured.intervalMs, fire)
    if (!isAway(time.nowMs) && random.below(measured.planned) < measured.ran) begin()
  }
  time.at(0, fire)
}

function byClock({ time }: World, random: Sequence, begin: () => void): void {
  async function exchange({ method }: { readonly method: string }): Promise<HttpOutcome> {
    if (isAway(time.nowMs)) return response(503, '')
    if (method === 'GET') return response(200, '{"default_branch":"main"}')
    time.at(time.nowMs + queue.leastMs + random.below(queue.mostMs - queue.leastMs), begin)
    return response(204, '')
  }
  const place = { owner: 'you', repository: 'dns', file: 'dns.yml', branch: null, token: 'github_pat_x' }
  const tick = createWorkflowClock(place, exchange, () => {})
  const fire = () => {
    time.at(time.nowMs + tickMs, fire)
    void tick()
  }
  time.at(0, fire)
}

function describeStaleness(what: string, days: number, { runs, changes, staleMs, longestMs }: Staleness) {
  const [mean, longest] = [staleMs / changes, longestMs].map(ms => (ms / minuteMs).toFixed(1))
  const share = ((100 * staleMs) / (days * dayMs)).toFixed(2)
  return `${what}: ${runs} runs in ${days} days; stale for ${mean} minutes after a change, ${longest} at most, ${share} % of the time`
}

/** A month has one outage of GitHub. A long run simulates a year. */
const days = shareMs(1) === undefined ? 31 : 365

it('a record is stale for minutes with the clock, and for hours without it', {
  timeout: 240_000,
}, async () => {
  const [without, withClock] = [await simulateHome(days, bySchedule), await simulateHome(days, byClock)]
  process.stdout.write(
    `${describeStaleness("GitHub's scheduler alone", days, without)}\n${describeStaleness('The clock', days, withClock)}\n`,
  )
  expect(withClock.staleMs / withClock.changes).toBeLessThan(2 * tickMs)
  expect(withClock.longestMs).toBeLessThan(outage.forMs + 2 * tickMs)
  expect(without.staleMs).toBeGreaterThan(20 * withClock.staleMs)
})
