import { afterAll, beforeAll, expect, it } from 'vitest'
import { Journey, journeySteps } from '../../demo/journey/steps.ts'

/** The longest step runs the engine twice, which takes seconds with the real CLI on an idle machine. */
const stepTimeoutMs = 240_000

/**
 * Declares a test for each step of the journey.
 * @param pulumi returns the path of the real CLI; without it, the embedded engine runs the program
 */
export function declareJourney(pulumi?: () => string): void {
  let journey: Journey
  let failed = false
  beforeAll(async () => {
    journey = await Journey.start(pulumi?.())
  }, stepTimeoutMs)
  afterAll(() => journey?.close())

  it.each(journeySteps)('$title', { timeout: stepTimeoutMs }, async ({ run }) => {
    expect(failed, 'An earlier step failed.').toBe(false)
    failed = true
    const checks = await run(journey)
    expect(checks.filter(({ good }) => !good)).toEqual([])
    expect(checks.length).toBeGreaterThan(1)
    failed = false
  })
}
