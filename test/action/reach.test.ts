import { expect, it } from 'vitest'
import { createReach } from '../../action/reach.ts'
import { failure } from '../../lib/exchange.ts'
import { response } from '../support/response.ts'

const [unresolved, unrouted, refused] = ['EAI_AGAIN', 'ENETUNREACH', 'ECONNREFUSED'].map(code =>
  failure('network', `no response (${code})`),
)
const aborted = failure('aborted', 'not needed any more')

it.each([
  ['This machine cannot resolve names. Check its DNS resolver.', [unresolved, aborted]],
  ['This machine has no network.', [unresolved, unrouted]],
  [null, [unrouted, refused]],
  [null, [unrouted, response('')]],
  [null, [aborted]],
])('says %s', (why, outcomes) => {
  const { note, explainIn } = createReach()
  for (const outcome of outcomes) if (outcome) note(outcome)
  const problem = { reason: 'deadline', message: 'No time.', setting: 'timeout' } as const
  const explained = { reason: 'deadline', message: `No time. ${why}` }
  expect(explainIn(problem)).toEqual(why === null ? problem : explained)
  const other = { ...problem, reason: 'write-unconfirmed' } as const
  expect(explainIn(other)).toEqual(other)
})
