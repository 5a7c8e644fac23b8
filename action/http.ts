import * as http from 'node:http'
import * as https from 'node:https'
import { agentFor } from './connections.ts'
import { quote } from './report/quote.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'PUT' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Connect over this address family only. */
  readonly family?: 4 | 6
  /** How the body becomes text: UTF-8 if it is left out. `latin1` makes one character of each byte. */
  readonly encoding?: 'latin1'
  /** Limit for connecting, sending and reading the whole response. */
  readonly timeoutMs: number
  /** A longer body is a failure, and is not read to the end. */
  readonly maxBytes: number
  /** Ends the request early, when its response is no longer needed. */
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly kind: 'response'
  readonly status: number
  /** Lower case, without parameters; empty if the response has none. */
  readonly contentType: string
  /** From Retry-After; null if it is absent or unreadable. */
  readonly retryAfterMs: number | null
  /** From Ratelimit, one for each policy. */
  readonly rateLimits?: readonly RateLimit[]
  readonly body: string
}

/** What a rate limit still allows until it starts over. */
export interface RateLimit {
  readonly remaining: number
  readonly resetMs: number
}

/** No complete response arrived. The detail is safe to print. */
export interface HttpFailure {
  readonly kind: 'failure'
  readonly cause: 'timeout' | 'aborted' | 'reset' | 'cut' | 'too-large' | 'network'
  readonly detail: string
}

export type HttpOutcome = HttpResponse | HttpFailure

export type Exchange = (request: HttpRequest) => Promise<HttpOutcome>

const userAgent = 'homeport-action'

/**
 * Sends one request and returns its outcome within the limit, whatever the transport does. Never throws because of the
 * network, and never retries. Redirects are returned, not followed: the token would go along.
 */
export async function exchange(request: HttpRequest): Promise<HttpOutcome> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort('timeout'), Math.max(1, request.timeoutMs))
  const cancel = () => abort.abort('aborted')
  if (request.signal?.aborted) cancel()
  request.signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await Promise.race([endedBy(abort.signal, request), attempt(request, abort.signal)])
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', cancel)
  }
}

/** Resolves when the signal ends the request. The transport gets the signal too, but may ignore it. */
function endedBy(signal: AbortSignal, request: HttpRequest): Promise<HttpFailure> {
  return new Promise(resolve => {
    const end = () => resolve(ended(request, signal))
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Never rejects. */
async function attempt(request: HttpRequest, signal: AbortSignal): Promise<HttpOutcome> {
  let responding = false
  try {
    const message = await send(request, signal)
    responding = true
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > request.maxBytes) {
        message.destroy()
        return failure('too-large', `the response is longer than ${request.maxBytes} bytes`)
      }
      chunks.push(chunk)
    }
    return {
      kind: 'response',
      status: message.statusCode ?? 0,
      contentType: (message.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
      retryAfterMs: parseRetryAfter(message.headers['retry-after'], Date.now()),
      rateLimits: parseRateLimits(String(message.headers['ratelimit'] ?? '')),
      body: Buffer.concat(chunks).toString(request.encoding ?? 'utf8'),
    }
  } catch (error) {
    if (signal.aborted) return ended(request, signal)
    const name = nameOf(error)
    if (responding) return failure('cut', `the response was cut off (${name})`)
    return failure(name === 'ECONNRESET' ? 'reset' : 'network', `no response (${name})`)
  }
}

function ended(request: HttpRequest, signal: AbortSignal): HttpFailure {
  return signal.reason === 'timeout'
    ? failure('timeout', `no complete response within ${(request.timeoutMs / 1000).toFixed(1)} s`)
    : failure('aborted', 'not needed any more')
}

function failure(cause: HttpFailure['cause'], detail: string): HttpFailure {
  return { kind: 'failure', cause, detail }
}

/** Sends the request, and resolves with the head of the response. */
function send(request: HttpRequest, signal: AbortSignal): Promise<http.IncomingMessage> {
  const url = new URL(request.url)
  const options: https.RequestOptions = {
    method: request.method,
    headers: { ...request.headers, 'User-Agent': userAgent },
    agent: agentFor(url),
    signal,
    ...(request.family ? { family: request.family } : {}),
  }
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? https : http).request(url, options, resolve)
    // Stays for later errors as well: an unhandled one would end the process.
    sent.on('error', reject)
    sent.end(request.body)
  })
}

/** Returns the code of a system error, or its quoted message, which may contain remote text. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : quote(error.message)
}

/**
 * Parses Retry-After in either form (RFC 9110 §10.2.3). Returns milliseconds from `nowMs` (Unix time), or null if it is
 * absent or unreadable.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = /^[A-Z][a-z]{2}, .{20,25} GMT$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

/** Parses what each policy of a Ratelimit header still allows, such as `"default";r=50;t=30` (IETF draft ratelimit-headers). */
export function parseRateLimits(value: string): readonly RateLimit[] {
  return value.split(',').flatMap(policy => {
    const number = (name: string) =>
      Number(new RegExp(`;\\s*${name}=(\\d{1,9})\\s*(;|$)`).exec(policy)?.[1] ?? Number.NaN)
    const [remaining, resetSeconds] = [number('r'), number('t')]
    return Number.isNaN(remaining + resetSeconds) ? [] : [{ remaining, resetMs: resetSeconds * 1000 }]
  })
}
