import type { Clock } from '../action/deadline.ts'
import { type Exchange, type HttpFailure, parseRateLimits, parseRetryAfter } from '../action/exchange.ts'
import { quote } from '../action/text/quote.ts'

/** What Workers and Node have in common: timers, and fetch. */

export const clock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      if (signal?.aborted) end()
      signal?.addEventListener('abort', end, { once: true })
    }),
  random: Math.random,
}

/** Sends one request with fetch. Never throws, retries or follows a redirect: the token would go along. */
export const exchange: Exchange = async request => {
  const { method, url, headers, body, timeoutMs, maxBytes, encoding = 'utf-8' } = request
  const timeout = AbortSignal.timeout(Math.max(1, timeoutMs))
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
  let responding = false
  try {
    const sent = { 'User-Agent': 'homeport-push', ...headers }
    const response = await fetch(url, {
      method,
      headers: sent,
      body: body ?? null,
      redirect: 'manual',
      signal,
    })
    responding = true
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      // Leaving the loop cancels the body.
      if (bytes > maxBytes) return failure('too-large', `the response is longer than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return {
      kind: 'response',
      status: response.status,
      contentType: (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
      retryAfterMs: parseRetryAfter(response.headers.get('retry-after') ?? undefined, Date.now()),
      rateLimits: parseRateLimits(response.headers.get('ratelimit') ?? ''),
      body: new TextDecoder(encoding).decode(await new Blob(chunks).arrayBuffer()),
    }
  } catch (error) {
    if (timeout.aborted)
      return failure('timeout', `no complete response within ${(timeoutMs / 1000).toFixed(1)} s`)
    if (request.signal?.aborted) return failure('aborted', 'not needed any more')
    const what = nameOf(error)
    return responding
      ? failure('cut', `the response was cut off (${what})`)
      : failure('network', `no response (${what})`)
  }
}

function failure(cause: HttpFailure['cause'], detail: string): HttpFailure {
  return { kind: 'failure', cause, detail }
}

/** Returns the code of a system error, which Node puts into the cause, or the quoted message. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : quote(error.message)
}
