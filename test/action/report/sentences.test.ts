import { expect, it } from 'vitest'
import type { ProblemSetting, Reason } from '../../../action/problem.ts'
import { describeRound, describeWatch, wordProblem } from '../../../action/report/sentences.ts'

const round = { records: [], votes: [], warnings: [], problem: null, requests: 1, elapsedMs: 250 }

it('counts requests and rounds in the singular and the plural', () => {
  const watched = { last: round, rounds: 1, failed: 0, maxLateMs: 100, requests: 1 }
  expect(describeRound(round)).toEqual(['1 request in 0.25 s.'])
  expect(describeRound({ ...round, requests: 2 })).toEqual(['2 requests in 0.25 s.'])
  expect(describeWatch(watched)).toMatch(/^1 round, 0 failed, 1 request\. /)
  expect(describeWatch({ ...watched, rounds: 2, requests: 3 })).toMatch(/^2 rounds, 0 failed, 3 requests\. /)
})

it('ends a problem with what to do about an input, or with what the next run does', () => {
  const worded = (reason: Reason, setting?: ProblemSetting) =>
    wordProblem({ reason, message: 'Down.', ...(setting && { setting }) })
  expect(worded('unexpected', 'base-url')).toBe('Down. Check base-url.')
  expect(worded('service-unavailable')).toBe('Down. The next run tries again.')
  expect(worded('write-unconfirmed', 'timeout')).toBe(
    'Down. If this happens again, raise timeout. The next run checks again.',
  )
})
