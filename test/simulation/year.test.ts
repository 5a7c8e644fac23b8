import { describe, expect, it } from 'vitest'
import { seed, shareMs } from '../../sandbox/testing/random.ts'
import { addCounts, describeCounts, noCounts } from './counts.ts'
import { planScenario } from './scenario.ts'
import { describeFailure, shrink } from './shrink.ts'
import { scenarioDays, scenariosPerYear, simulate } from './simulation.ts'

/** Simulated years of a sample and of a long run. */
const sampleYears = 0.25
const longYears = 100
/** Of the minutes of a long run. Other tests run beside it. */
const longShare = 0.6
const limitMs = shareMs(longShare)
const testTimeoutMs = (limitMs ?? 0) + 180_000

describe('simulated years', () => {
  it('break no invariant', { timeout: testTimeoutMs }, async () => {
    const startMs = performance.now()
    const scenarios = Math.ceil(scenariosPerYear * (limitMs === undefined ? sampleYears : longYears))
    let counts = noCounts()
    let simulated = 0
    for (; simulated < scenarios; simulated++) {
      if (performance.now() - startMs > (limitMs ?? Number.POSITIVE_INFINITY)) break
      const scenario = planScenario(seed + simulated, scenarioDays)
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
  })

  it('are the same for the same seed', async () => {
    const scenario = planScenario(seed, 2)
    expect(await simulate(scenario)).toEqual(await simulate(scenario))
  })
})
