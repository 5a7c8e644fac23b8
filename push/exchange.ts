import { broken, type Exchange, ended, nameOf, responseOf, tooLarge } from '../action/exchange.ts'

/** Sends one request with fetch, which Workers and Node have. Never throws, retries or follows a redirect with the token. */
export const exchange: Exchange = async request => {
  const { method, url, headers, body = null, timeoutMs } = request
  const timeout = AbortSignal.timeout(Math.max(1, timeoutMs))
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
  const sent = { 'User-Agent': 'homeport-push', ...headers }
  let responding = false
  try {
    const response = await fetch(url, { method, headers: sent, body, redirect: 'manual', signal })
    responding = true
    const chunks: Uint8Array<ArrayBuffer>[] = []
    let bytes = 0
    // Leaving the loop ends what sends the body.
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > request.maxBytes) return tooLarge(request)
      chunks.push(chunk)
    }
    return responseOf(response.status, name => headerOf(response, name), await new Blob(chunks).text())
  } catch (error) {
    if (signal.aborted) return ended(request, timeout.aborted)
    // Node puts the system's error into the cause.
    const { cause } = error instanceof Error ? error : {}
    return broken(responding, nameOf(cause instanceof Error && 'code' in cause ? cause : error))
  }
}

/**
 * Returns a header of a response. GitHub's limits can lack Retry-After: `x-ratelimit-remaining` is 0 then, until
 * `x-ratelimit-reset`, in Unix seconds (REST API, "Rate limits").
 */
function headerOf({ ok, headers }: Response, name: string): string | null {
  const given = headers.get(name)
  const isLimit = !ok && headers.get('x-ratelimit-remaining') === '0'
  if (name !== 'retry-after' || given !== null || !isLimit) return given
  const leftSeconds = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000
  return String(Math.max(0, Math.ceil(leftSeconds)) || 0)
}
