import { expect, it } from 'vitest'
import { describeEffort, describeWatch } from '../../../action/report/sentences.ts'

const round = { records: [], votes: [], warnings: [], problem: null, requests: 1, elapsedMs: 250 }

it('counts requests and rounds in the singular and the plural', () => {
  const watched = { last: round, rounds: 1, failed: 0, maxLateMs: 100, requests: 1 }
  expect(describeEffort(round)).toBe('1 request in 0.25 s.')
  expect(describeEffort({ ...round, requests: 2 })).toBe('2 requests in 0.25 s.')
  expect(describeWatch(watched)).toMatch(/^1 round, 0 failed, 1 request\. /)
  expect(describeWatch({ ...watched, rounds: 2, requests: 3 })).toMatch(/^2 rounds, 0 failed, 3 requests\. /)
})
