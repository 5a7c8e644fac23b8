import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../action/exchange.ts'
import { withHeartbeat } from '../../action/heartbeat.ts'
import { type RecordResult, type RoundResult, withoutRound } from '../../action/result.ts'
import { response } from '../support/response.ts'

const url = 'https://monitor.example/ping/6f1d2c9a'
const failed = withoutRound({ reason: 'service-unavailable', message: 'down' })

/** Runs a failed round of `roundMs` with a monitor that accepts connections and never responds, in virtual time. */
async function withSilentMonitor(roundMs: number) {
  let nowMs = 0
  const sent: { readonly path: string; readonly atMs: number; readonly timeoutMs: number }[] = []
  const exchange: Exchange = async request => {
    sent.push({ path: new URL(request.url).pathname, atMs: nowMs, timeoutMs: request.timeoutMs })
    const endMs = nowMs + request.timeoutMs
    // The first beat waits while the round runs, so time does not move for it.
    await Promise.resolve()
    nowMs = Math.max(nowMs, endMs)
    return { kind: 'failure', cause: 'timeout', detail: 'no complete response within 10.0 s' }
  }
  const round = async (): Promise<RoundResult> => {
    nowMs = Math.max(nowMs, roundMs)
    return failed
  }
  const result = await withHeartbeat(url, round, exchange, () => false)
  return { result, sent, endMs: nowMs }
}

/** Runs a round with a monitor that accepts everything. Returns the paths after the URL, and the result. */
async function beats(url: string, result: RoundResult, isStopping = false) {
  const sent: string[] = []
  const exchange: Exchange = async request => {
    sent.push(request.url.slice(url.length))
    return response('')
  }
  const { requests } = await withHeartbeat(
    url,
    async () => result,
    exchange,
    () => isStopping,
  )
  return { sent, requests }
}

it.each([`${url}?key=1`, `${url}?`, `${url}#top`])(
  'a URL that takes no suffix gets a success only: %s',
  async url => {
    const good = { ...failed, problem: null, records: [{ result: 'unchanged' } as RecordResult] }
    expect((await beats(url, failed)).sent).toEqual([])
    expect((await beats(url, good)).sent).toEqual([''])
  },
)

it('a round that was cut short is not reported as failed', async () => {
  expect(await beats(url, failed)).toEqual({ sent: ['/start', '/fail'], requests: 2 })
  expect(await beats(url, failed, true)).toEqual({ sent: ['/start'], requests: 1 })
})

describe('a monitor that never responds', () => {
  it('delays the end of a run by ten seconds, and causes a warning for each beat', async () => {
    const { result, sent, endMs } = await withSilentMonitor(20_000)
    expect(sent).toEqual([
      { path: '/ping/6f1d2c9a/start', atMs: 0, timeoutMs: 10_000 },
      { path: '/ping/6f1d2c9a/fail', atMs: 20_000, timeoutMs: 10_000 },
    ])
    expect(endMs).toBe(30_000)
    expect(result).toMatchObject({ problem: failed.problem, requests: 2 })
    expect(result.warnings).toEqual(
      Array(2).fill(expect.stringContaining('no complete response within 10.0 s')),
    )
  })
})
