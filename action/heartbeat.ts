import type { Exchange } from './http.ts'
import { overall, type RoundResult } from './result.ts'

const timeoutMs = 5000
const maxBytes = 64 * 1024

/**
 * Runs a round and notifies a monitor: GET `/start` before it, the URL itself after success, `/fail` after failure. A URL
 * with a query or a fragment takes no suffix, so it only gets success. A heartbeat is sent once and follows no redirect.
 * If it fails, that is a warning. `isStopping` keeps a round that was cut short from being reported as failed.
 */
export async function withHeartbeat(
  url: string | null,
  round: () => Promise<RoundResult>,
  exchange: Exchange,
  isStopping: () => boolean,
): Promise<RoundResult> {
  if (url === null) return round()
  const takesSuffix = !/[?#]/.test(url)
  const base = takesSuffix ? url.replace(/\/$/, '') : url
  const starting = takesSuffix ? beat(`${base}/start`, exchange) : []
  const result = await round()
  const started = await starting
  const isFailed = overall(result) === 'failed'
  const silent = isFailed && (!takesSuffix || isStopping())
  const ended = silent ? [] : await beat(isFailed ? `${base}/fail` : url, exchange)
  const sent = (takesSuffix ? 1 : 0) + (silent ? 0 : 1)
  return {
    ...result,
    requests: result.requests + sent,
    warnings: [...result.warnings, ...started, ...ended],
  }
}

/** Sends one heartbeat. Returns a warning if the monitor did not accept it. */
async function beat(url: string, exchange: Exchange): Promise<readonly string[]> {
  const outcome = await exchange({ method: 'GET', url, headers: {}, timeoutMs, maxBytes })
  const isTaken = outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300
  if (isTaken) return []
  const what = outcome.kind === 'response' ? `it returned ${outcome.status}` : outcome.detail
  return [`The monitor at heartbeat-url did not accept a heartbeat: ${what}. The records are not affected.`]
}
