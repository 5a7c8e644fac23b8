import { broken, type Exchange, ended, nameOf, readResponse } from '../action/exchange.ts'

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
    const { status, headers: received, body: chunks } = response
    return await readResponse(
      request,
      status,
      name => received.get(name),
      chunks ?? [],
      all => new Blob(all).text(),
    )
  } catch (error) {
    if (signal.aborted) return ended(request, timeout.aborted)
    // Node puts the system's error into the cause.
    const { cause } = error instanceof Error ? error : {}
    return broken(responding, nameOf(cause instanceof Error && 'code' in cause ? cause : error))
  }
}
