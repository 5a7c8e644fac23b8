import { expect, it } from 'vitest'
import { fc, seed, shareMs } from '../support/random.ts'
import { timeLimit } from '../support/time-limit.ts'
import { noCounts, type Violation } from './judge.ts'
import { planScenario, type Scenario, withRouter } from './scenario.ts'
import { simulate } from './simulation.ts'

const scenarioDays = 7
/** Simulated weeks of a long run, a century, if its time allows. */
const longWeeks = 5200

/** `longShare` is of the minutes of a long run. Other tests run beside it. */
const plans = [
  { title: 'break no invariant', plan: planScenario, longShare: 0.4 },
  {
    title: 'break no invariant while a router reports the address, too',
    plan: (seed: number, days: number): Scenario => withRouter(planScenario(seed, days)),
    longShare: 0.2,
  },
]

it.each(plans)(
  'simulated weeks $title',
  { timeout: (shareMs(1) ?? 0) + timeLimit(180_000) },
  async ({ plan, longShare }) => {
    const limitMs = shareMs(longShare)
    const startMs = performance.now()
    const counts = noCounts()
    let weeks = 0
    for (; weeks < (limitMs === undefined ? 1 : longWeeks); weeks++) {
      if (performance.now() - startMs > (limitMs ?? Number.POSITIVE_INFINITY)) break
      const scenario = plan(seed + weeks, scenarioDays)
      const violation = await simulate(scenario, counts)
      if (violation) await failWithFewestEvents(scenario, violation)
    }
    process.stdout.write(`${weeks} weeks from seed ${seed}: ${JSON.stringify(counts)}\n`)
    expect(counts.rounds).toBeGreaterThan(1500 * weeks)
    // Of the 336 half hours of a week. While the service is away, a router repeats its ping every minute.
    const hasRouter = plan(seed, 0).router !== undefined
    expect(counts.pings).toBeGreaterThanOrEqual(hasRouter ? 300 * weeks : 0)
    if (limitMs === undefined) return
    // Not every single week has each: the rounds are real, and what the interface cannot prevent happens.
    expect(counts.calmRounds).toBeGreaterThan(counts.rounds / 2)
    expect(counts.writes).toBeGreaterThan(10 * weeks)
    expect(counts.events).toBeGreaterThan(30 * weeks)
    expect(counts.overwrittenEdits + counts.overlappingWrites + counts.lateWrites).toBeGreaterThan(0)
    expect(counts.idlePings).toBeGreaterThanOrEqual(hasRouter ? 220 * weeks : 0)
  },
)

/** Fails with the broken invariant and only the events that it needs. */
async function failWithFewestEvents(scenario: Scenario, broken: Violation): Promise<void> {
  let violation = broken
  const before = scenario.events.filter(({ atMs }) => atMs <= broken.atMs)
  const property = fc.asyncProperty(fc.subarray(before), async events => {
    const found = await simulate({ ...scenario, events })
    if (found?.invariant !== broken.invariant) return true
    violation = found
    return false
  })
  const { counterexample } = await fc.check(property, { examples: [[before]], numRuns: 1 })
  const events = counterexample?.[0]?.map(event => JSON.stringify(event))
  const needed = JSON.stringify({ violation, ...scenario, events }, null, 2)
  expect.fail(`${needed}\nReplay: TEST_SEED=${scenario.seed} npx vitest run test/simulation/year.test.ts`)
}
