import { describe, expect, it } from 'vitest'
import { seed, shareMs } from '../../sandbox/testing/random.ts'
import { addCounts, describeCounts, noCounts } from './counts.ts'
import { incidentRates, planScenario, type Scenario, withRouter } from './scenario.ts'
import { describeFailure, shrink } from './shrink.ts'
import { scenarioDays, scenariosPerYear, simulate } from './simulation.ts'

/** Simulated years of a long run. */
const longYears = 100

interface Sample {
  readonly title: string
  readonly plan: (seed: number) => Scenario
  readonly sampleYears: number
  /** Of the minutes of a long run. Other tests run beside it. */
  readonly longShare: number
}

const samples: readonly Sample[] = [
  {
    title: 'break no invariant',
    plan: number => planScenario(number, scenarioDays),
    sampleYears: 0.05,
    longShare: 0.4,
  },
  {
    title: 'break no invariant while a router reports the address, too',
    plan: number => withRouter(planScenario(number, scenarioDays)),
    sampleYears: 0.03,
    longShare: 0.2,
  },
]

describe('simulated years', () => {
  it.each(samples)('$title', { timeout: (shareMs(1) ?? 0) + 180_000 }, async sample => {
    const limitMs = shareMs(sample.longShare)
    const startMs = performance.now()
    const scenarios = Math.ceil(scenariosPerYear * (limitMs === undefined ? sample.sampleYears : longYears))
    let counts = noCounts()
    let simulated = 0
    for (; simulated < scenarios; simulated++) {
      if (performance.now() - startMs > (limitMs ?? Number.POSITIVE_INFINITY)) break
      const scenario = sample.plan(seed + simulated)
      const outcome = await simulate(scenario)
      counts = addCounts(counts, outcome.counts)
      if (outcome.violation) {
        expect.fail(describeFailure(await shrink(scenario, outcome, simulate)))
      }
    }
    process.stdout.write(`${simulated} of ${scenarios} weeks from seed ${seed}: ${describeCounts(counts)}\n`)
    // The rounds are real, and what the interface cannot prevent happens.
    expect(counts.rounds).toBeGreaterThan(1500 * simulated)
    expect(counts.calmRounds).toBeGreaterThan(counts.rounds / 2)
    expect(counts.writes).toBeGreaterThan(10 * simulated)
    expect(counts.events).toBeGreaterThan(30 * simulated)
    expect(counts.overwrittenEdits + counts.overlappingWrites + counts.lateWrites).toBeGreaterThan(0)
    const hasRouter = sample.plan(seed).router !== undefined
    expect(counts.pings).toBeGreaterThanOrEqual(hasRouter ? 300 * simulated : 0)
    // Of the 336 half hours of a week. While the service is away, a router repeats its ping every minute.
    expect(counts.idlePings).toBeGreaterThanOrEqual(hasRouter ? 220 * simulated : 0)
  })

  it('do not blame a ping for an edit after its decision', async () => {
    // While it writes the AAAA record, somebody adds a second A record.
    const { violation } = await simulate(withRouter(planScenario(10, 2, incidentRates.stormy)))
    expect(violation).toBeNull()
  })

  it('are the same for the same seed', async () => {
    const scenario = withRouter(planScenario(seed, 2))
    expect(await simulate(scenario)).toEqual(await simulate(scenario))
  })
})
