import { type Exchange, explainFailure, type HttpRequest } from '../lib/exchange.ts'

/** Enough for a new TLS connection with a round trip of two seconds. */
export const maxTellMs = 10_000
const maxBytes = 64 * 1024

/**
 * Tells a service of a round, once, without following a redirect. Returns a warning if it did not accept the request: safe to print, it
 * repeats neither the URL nor the response.
 * @param what who then did not accept what, such as `The monitor did not accept a heartbeat`
 */
export async function tell(
  exchange: Exchange,
  request: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>,
  what: string,
  timeoutMs = maxTellMs,
): Promise<readonly string[]> {
  const outcome = await exchange({ ...request, timeoutMs, maxBytes })
  if (outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300) return []
  const why = outcome.kind === 'failure' ? explainFailure(outcome) : `it returned ${outcome.status}`
  return [`${what}: ${why}. The records are not affected.`]
}
