import { type Exchange, explainFailure, type HttpRequest } from './exchange.ts'

/** Enough for a new TLS connection with a round trip of two seconds. */
const timeoutMs = 10_000
const maxBytes = 64 * 1024

/**
 * Sends a request to a service that is told of a round: once, for at most ten seconds, and without following a redirect.
 * Returns null if the service accepted it, else why not. The text is safe to print: it repeats neither the URL nor the response.
 */
export async function sendOnce(
  exchange: Exchange,
  request: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>,
): Promise<string | null> {
  const outcome = await exchange({ ...request, timeoutMs, maxBytes })
  if (outcome.kind === 'failure') return explainFailure(outcome)
  return outcome.status >= 200 && outcome.status < 300 ? null : `it returned ${outcome.status}`
}
