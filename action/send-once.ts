import { type Exchange, explainFailure, type HttpRequest } from '../lib/exchange.ts'

/** Enough for a new TLS connection with a round trip of two seconds. */
export const maxOnceMs = 10_000
const onceMaxBytes = 64 * 1024

/**
 * Sends a request to a service that is told of a round: once, for ten seconds unless `timeoutMs` says less, and without following a redirect.
 * Returns null if the service accepted it, else why not. The text is safe to print: it repeats neither the URL nor the response.
 */
export async function sendOnce(
  exchange: Exchange,
  request: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>,
  timeoutMs = maxOnceMs,
): Promise<string | null> {
  const outcome = await exchange({ ...request, timeoutMs, maxBytes: onceMaxBytes })
  if (outcome.kind === 'failure') return explainFailure(outcome)
  return outcome.status >= 200 && outcome.status < 300 ? null : `it returned ${outcome.status}`
}
