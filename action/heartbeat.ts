import type { Exchange } from '../lib/exchange.ts'
import { overall, type RoundResult } from './result.ts'
import { maxTellMs, tell } from './tell.ts'

/** The share of `timeout` that is kept for a heartbeat and a message, which are sent at once when a round is over. */
const tellShare = 1 / 6

/** Returns how much of a round's timeout is kept for a heartbeat and a message, in milliseconds. */
export function tellLimitMs(timeoutMs: number): number {
  return Math.min(maxTellMs, timeoutMs * tellShare)
}

/**
 * Runs a round and notifies a monitor: GET `/start` before it, the URL itself after success, `/fail` after failure. A URL
 * with a query or a fragment takes no suffix, so it only gets success. A heartbeat is sent once and follows no redirect.
 * If it fails, that is a warning. `isStopping` keeps a round that was cut short from being reported as failed. Each heartbeat takes
 * at most `limitMs`.
 */
export async function withHeartbeat(
  url: string,
  round: () => Promise<RoundResult>,
  exchange: Exchange,
  isStopping: () => boolean,
  limitMs: number,
): Promise<RoundResult> {
  const what = 'The monitor at heartbeat-url did not accept a heartbeat'
  const beat = (to: string) => tell(exchange, { method: 'GET', url: to, headers: {} }, what, limitMs)
  const takesSuffix = !/[?#]/.test(url)
  const base = url.replace(/\/$/, '')
  const starting = takesSuffix ? beat(`${base}/start`) : []
  const result = await round()
  const started = await starting
  const isFailed = overall(result) === 'failed'
  const silent = isFailed && (!takesSuffix || isStopping())
  const ended = silent ? [] : await beat(isFailed ? `${base}/fail` : url)
  const sent = (takesSuffix ? 1 : 0) + (silent ? 0 : 1)
  return {
    ...result,
    requests: result.requests + sent,
    warnings: [...result.warnings, ...started, ...ended],
  }
}
