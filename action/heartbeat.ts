import { type Exchange, sendOnce } from './exchange.ts'
import { overall, type RoundResult } from './result.ts'

/**
 * Runs a round and notifies a monitor: GET `/start` before it, the URL itself after success, `/fail` after failure. A URL
 * with a query or a fragment takes no suffix, so it only gets success. A heartbeat is sent once and follows no redirect.
 * If it fails, that is a warning. `isStopping` keeps a round that was cut short from being reported as failed.
 */
export async function withHeartbeat(
  url: string,
  round: () => Promise<RoundResult>,
  exchange: Exchange,
  isStopping: () => boolean,
): Promise<RoundResult> {
  const takesSuffix = !/[?#]/.test(url)
  const base = takesSuffix ? url.replace(/\/$/, '') : url
  const starting = takesSuffix ? sendHeartbeat(`${base}/start`, exchange) : []
  const result = await round()
  const started = await starting
  const isFailed = overall(result) === 'failed'
  const silent = isFailed && (!takesSuffix || isStopping())
  const ended = silent ? [] : await sendHeartbeat(isFailed ? `${base}/fail` : url, exchange)
  const sent = (takesSuffix ? 1 : 0) + (silent ? 0 : 1)
  return {
    ...result,
    requests: result.requests + sent,
    warnings: [...result.warnings, ...started, ...ended],
  }
}

/** Sends one heartbeat. Returns a warning if the monitor did not accept it. */
async function sendHeartbeat(url: string, exchange: Exchange): Promise<readonly string[]> {
  const refusal = await sendOnce(exchange, { method: 'GET', url, headers: {} })
  if (refusal === null) return []
  return [
    `The monitor at heartbeat-url did not accept a heartbeat: ${refusal}. The records are not affected.`,
  ]
}
