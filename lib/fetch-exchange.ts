import { broken, type Exchange, ended, type HttpRequest, responseOf, tooLarge } from './exchange.ts'

/**
 * Creates a sender of requests with fetch, which Workers and Node have. It never throws, retries, or follows a redirect with the token.
 * @param own headers to add, unless a request has its own
 */
export function createFetchExchange(own: HttpRequest['headers'] = {}): Exchange {
  return async request => {
    const { method, url, headers, body = null, timeoutMs } = request
    const timeout = AbortSignal.timeout(Math.max(1, timeoutMs))
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
    const sent = { method, headers: { ...own, ...headers }, body, redirect: 'manual', signal } as const
    let responding = false
    try {
      const response = await fetch(url, sent)
      responding = true
      const chunks: Uint8Array<ArrayBuffer>[] = []
      let bytes = 0
      // Leaving the loop ends what sends the body.
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length
        if (bytes > request.maxBytes) return tooLarge(request)
        chunks.push(chunk)
      }
      return responseOf(response.status, name => response.headers.get(name), await new Blob(chunks).text())
    } catch (error) {
      if (signal.aborted) return ended(request, timeout.aborted)
      // Node puts the system's error into the cause.
      const { cause } = error instanceof Error ? error : {}
      return broken(responding, cause instanceof Error && 'code' in cause ? cause : error)
    }
  }
}
