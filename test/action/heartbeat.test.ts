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

describe('a monitor whose URL takes no suffix', () => {
  it.each([`${url}?key=1`, `${url}?`, `${url}#top`])('is told of a success only: %s', async url => {
    const sent: string[] = []
    const exchange: Exchange = async request => {
      sent.push(request.url)
      return response('')
    }
    const good = { ...failed, problem: null, records: [{ result: 'unchanged' } as RecordResult] }
    for (const result of [failed, good])
      await withHeartbeat(
        url,
        async () => result,
        exchange,
        () => false,
      )
    expect(sent).toEqual([url])
  })
})

describe('a round that was cut short', () => {
  it.each([
    ['is not reported as failed', true, ['/start']],
    ['is not reported as one that failed', false, ['/start', '/fail']],
  ])('%s', async (_, isStopping, expected) => {
    const sent: string[] = []
    const exchange: Exchange = async request => {
      sent.push(request.url.slice(url.length))
      return response('')
    }
    const { requests } = await withHeartbeat(
      url,
      async () => failed,
      exchange,
      () => isStopping,
    )
    expect({ sent, requests }).toEqual({ sent: expected, requests: expected.length })
  })
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
      Array(2).fill(
        'The monitor at heartbeat-url did not accept a heartbeat: no complete response within 10.0 s. The records are not affected.',
      ),
    )
  })
})
