import type { Violation } from './judge.ts'
import type { Scenario } from './scenario.ts'
import { simulate } from './simulation.ts'

/**
 * Returns a description of a broken invariant with only the events that it needs. Removes events as long as the same
 * invariant still breaks: halves first, then smaller groups, then one by one (delta debugging). The time after the violation
 * goes too.
 */
export async function describeFailure(whole: Scenario, broken: Violation): Promise<string> {
  let events = whole.events.filter(({ atMs }) => atMs <= broken.atMs)
  let violation = broken
  for (let size = Math.ceil(events.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let start = 0; start < events.length; ) {
      const fewer = events.toSpliced(start, size)
      const tried = await simulate({ ...whole, events: fewer })
      if (tried?.invariant === broken.invariant) {
        events = fewer
        violation = tried
      } else {
        start += size
      }
    }
  }
  return [
    `Seed ${whole.seed} breaks "${violation.invariant}" at ${violation.atMs} ms (${violation.host}):`,
    `  ${violation.detail}`,
    `Setup: ${JSON.stringify(whole.setup)}`,
    `Events that it needs (${events.length}):`,
    ...events.map(event => `  ${JSON.stringify(event)}`),
    `Replay: TEST_SEED=${whole.seed} npx vitest run test/simulation/year.test.ts`,
  ].join('\n')
}
