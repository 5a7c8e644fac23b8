import { expect, it } from 'vitest'
import { seed, shareMs } from '../support/random.ts'
import { noCounts } from './counts.ts'
import { planScenario, type Scenario, withRouter } from './scenario.ts'
import { describeFailure } from './shrink.ts'
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
  { timeout: (shareMs(1) ?? 0) + 180_000 },
  async ({ plan, longShare }) => {
    const limitMs = shareMs(longShare)
    const startMs = performance.now()
    const counts = noCounts()
    let weeks = 0
    for (; weeks < (limitMs === undefined ? 2 : longWeeks); weeks++) {
      if (performance.now() - startMs > (limitMs ?? Number.POSITIVE_INFINITY)) break
      const scenario = plan(seed + weeks, scenarioDays)
      const violation = await simulate(scenario, counts)
      if (violation) expect.fail(await describeFailure(scenario, violation))
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
