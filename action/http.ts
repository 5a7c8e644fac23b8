import type { RequestOptions } from 'node:http'
import { HttpClient } from '@actions/http-client'
import { quote } from './report/quote.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'PUT' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Connect over this address family only. */
  readonly family?: 4
  /** Connecting, sending and reading the whole answer must be done by then. */
  readonly timeoutMs: number
  /** A longer body is a failure, and is not read to its end. */
  readonly maxBytes: number
  /** Ends the call early, as when nobody waits for its answer any more. */
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly kind: 'response'
  readonly status: number
  /** Lower case, without parameters; empty when there was none. */
  readonly contentType: string
  /** From Retry-After; null without one or with one that cannot be read. */
  readonly retryAfterMs: number | null
  readonly body: string
}

/** No whole answer came. The detail is safe to print. */
export interface HttpFailure {
  readonly kind: 'failure'
  readonly cause: 'timeout' | 'aborted' | 'cut' | 'too-large' | 'network'
  readonly detail: string
}

export type Exchange = (call: HttpRequest) => Promise<HttpResponse | HttpFailure>

const userAgent = 'homeport-action'

/**
 * One request, one typed outcome, by its deadline whatever the transport does; never throws for what the network does.
 * Redirects are answers, not followed: the client would carry the token to another port of the same host. Nothing is
 * retried here.
 */
export const exchange: Exchange = async call => {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort('timeout'), Math.max(1, call.timeoutMs))
  const leave = () => abort.abort('aborted')
  if (call.signal?.aborted) leave()
  call.signal?.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([endOf(call, abort.signal), attempt(call, abort.signal)])
  } finally {
    clearTimeout(timer)
    call.signal?.removeEventListener('abort', leave)
  }
}

/** Settles when the signal ends the call. The transport hears it too, but need not obey. */
function endOf(call: HttpRequest, signal: AbortSignal): Promise<HttpFailure> {
  return new Promise(resolve => {
    const end = () => resolve(ended(call, signal))
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Never rejects. The body is read from the stream: the client's `readBody` never settles when the connection breaks. */
async function attempt(call: HttpRequest, signal: AbortSignal): Promise<HttpResponse | HttpFailure> {
  let answering = false
  try {
    const client = new HttpClient(userAgent, [connectionOptions(call, signal)], {
      allowRedirects: false,
      allowRetries: false,
    })
    const { message } = await client.request(call.method, call.url, call.body ?? null, { ...call.headers })
    answering = true
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > call.maxBytes) {
        message.destroy()
        return failure('too-large', `the answer is longer than ${call.maxBytes} bytes`)
      }
      chunks.push(chunk)
    }
    return {
      kind: 'response',
      status: message.statusCode ?? 0,
      contentType: (message.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
      retryAfterMs: parseRetryAfter(message.headers['retry-after'], Date.now()),
      body: Buffer.concat(chunks).toString('utf8'),
    }
  } catch (error) {
    if (signal.aborted) return ended(call, signal)
    return answering
      ? failure('cut', `the answer was cut off (${nameOf(error)})`)
      : failure('network', `no answer (${nameOf(error)})`)
  }
}

function ended(call: HttpRequest, signal: AbortSignal): HttpFailure {
  return signal.reason === 'timeout'
    ? failure('timeout', `no whole answer within ${(call.timeoutMs / 1000).toFixed(1)} s`)
    : failure('aborted', 'not waited for')
}

function failure(cause: HttpFailure['cause'], detail: string): HttpFailure {
  return { kind: 'failure', cause, detail }
}

/**
 * The client hands these options to node:http as they are; it has no setting of its own for either. Through a proxy the
 * request has no socket until the tunnel stands, so that a signal on it alone ends nothing: the CONNECT needs it too.
 */
function connectionOptions(call: HttpRequest, signal: AbortSignal) {
  return {
    prepareRequest(options: RequestOptions) {
      options.signal = signal
      const { agent } = options
      if (typeof agent === 'object' && 'proxyOptions' in agent)
        Object.assign(agent.proxyOptions as object, { signal })
      if (call.family) options.family = call.family
    },
    canHandleAuthentication: () => false,
    handleAuthentication: () => Promise.reject(new Error('no authentication handler is used')),
  }
}

/** The code of a system error, else its message, which may hold what the other side sent. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : quote(error.message)
}

/**
 * Retry-After in either form (RFC 9110 §10.2.3), as milliseconds from `nowMs` (Unix time); null when absent or
 * unreadable.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = /^[A-Z][a-z]{2}, .{20,25} GMT$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
