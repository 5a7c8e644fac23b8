import type { Exchange, HttpRequest } from './exchange.ts'

const timeoutMs = 5000
const maxBytes = 64 * 1024

/**
 * Sends a request to a service that is told of a round: once, for at most five seconds, and without following a redirect.
 * Returns null if the service accepted it, else why not. The text is safe to print: it repeats neither the URL nor the response.
 */
export async function sendOnce(
  exchange: Exchange,
  request: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>,
): Promise<string | null> {
  const outcome = await exchange({ ...request, timeoutMs, maxBytes })
  if (outcome.kind === 'failure') return outcome.detail
  return outcome.status >= 200 && outcome.status < 300 ? null : `it returned ${outcome.status}`
}
