import { expect, it } from 'vitest'
import { startProgram } from '../support/command.ts'
import { isTimeLimit } from '../support/time-limit-reporter.ts'

/** Returns what a promise rejects with. */
const errorOf = (failing: Promise<unknown>) =>
  failing.then(
    () => expect.unreachable(),
    (error: Error) => error,
  )

it('a failure by a time limit is known from one by an assertion', async () => {
  const polled = Promise.resolve(expect.poll(() => 1, { timeout: 20, interval: 5 }).toBe(2))
  expect(isTimeLimit(await errorOf(polled))).toBe(true)
  const endless = startProgram('sleep', ['60'], {}, { timeLimitMs: 50 }).ended
  expect(isTimeLimit(await errorOf(endless))).toBe(true)
  expect(isTimeLimit(await errorOf(Promise.resolve().then(() => expect(1).toBe(2))))).toBe(false)
})
