import { expect, it } from 'vitest'
import { resultOf } from '../../action/decide.ts'
import { withHeartbeat } from '../../action/heartbeat.ts'
import { type RoundResult, withoutRound } from '../../action/result.ts'
import { failure } from '../../lib/exchange.ts'
import { recorded, response } from '../support/response.ts'
import { slot } from './records/api.ts'

const url = 'https://monitor.example/ping/6f1d2c9a'
const failed = withoutRound({ reason: 'service-unavailable', message: 'down' })

/** Runs a round with a monitor that accepts everything. Returns the paths after the URL, and how many requests were counted. */
async function beats(url: string, result: RoundResult, isStopping = false) {
  const { exchange, sent } = recorded(() => response(''))
  const round = async () => result
  const { requests } = await withHeartbeat(url, round, exchange, () => isStopping, 1000)
  return { sent: sent.map(request => request.url.slice(url.length)), requests }
}

it.each([`${url}?key=1`, `${url}?`, `${url}#top`])(
  'a URL that takes no suffix gets a success only: %s',
  async url => {
    const good = { ...failed, problem: null, records: [resultOf(slot, null, null, { result: 'unchanged' })] }
    expect((await beats(url, failed)).sent).toEqual([])
    expect((await beats(url, good)).sent).toEqual([''])
  },
)

it('a round that was cut short is not reported as failed', async () => {
  expect(await beats(url, failed)).toEqual({ sent: ['/start', '/fail'], requests: 2 })
  expect(await beats(url, failed, true)).toEqual({ sent: ['/start'], requests: 1 })
})

it('a monitor that never responds does not delay the round, and causes a warning for each beat', async () => {
  const running = Promise.withResolvers<void>()
  const { exchange } = recorded(async () => {
    await running.promise
    return failure('timeout', 'no complete response within 10.0 s')
  })
  const round = async () => {
    running.resolve()
    return failed
  }
  const { warnings } = await withHeartbeat(url, round, exchange, () => false, 1000)
  expect(warnings).toEqual(Array(2).fill(expect.stringContaining('no complete response within 10.0 s')))
})
