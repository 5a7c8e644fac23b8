import { afterAll, beforeAll, expect, it } from 'vitest'
import { HostJourney, hostSteps } from '../../demo/journey/host-steps.ts'
import type { Step } from '../../demo/journey/scene.ts'
import { Journey, journeySteps } from '../../demo/journey/steps.ts'
import { timeLimit } from './time-limit.ts'

/** The longest step runs the engine twice, which takes seconds with the real CLI on an idle machine. */
const stepTimeoutMs = timeLimit(240_000)

/**
 * Declares a test for each step of the journey with a Worker.
 * @param pulumi returns the path of the real CLI; without it, the embedded engine runs the program
 */
export const declareJourney = (pulumi?: () => string): void =>
  declareStory(path => Journey.start(path), journeySteps, pulumi)

/** Declares a test for each step of the journey with a host. @param pulumi as above */
export const declareHostJourney = (pulumi?: () => string): void =>
  declareStory(path => HostJourney.start(path), hostSteps, pulumi)

function declareStory<Told extends { close(): Promise<void> }>(
  start: (pulumi?: string) => Promise<Told>,
  steps: readonly Step<Told>[],
  pulumi?: () => string,
): void {
  let journey: Told
  let failed = false
  beforeAll(async () => {
    journey = await start(pulumi?.())
  }, stepTimeoutMs)
  afterAll(() => journey?.close())

  it.each(steps)('$title', { timeout: stepTimeoutMs }, async ({ run }) => {
    expect(failed, 'An earlier step failed.').toBe(false)
    failed = true
    const checks = await run(journey)
    expect(checks.filter(({ good }) => !good)).toEqual([])
    expect(checks.length).toBeGreaterThan(1)
    failed = false
  })
}
