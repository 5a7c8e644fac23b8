import { isFromFront } from './in-front.ts'
import { quote } from './quote.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Connect over this address family only. */
  readonly family?: 4 | 6 | undefined
  /** Limit for connecting, sending and reading the whole response. */
  readonly timeoutMs: number
  /** A longer body is a failure, and is not read to the end. */
  readonly maxBytes: number
  /** Ends the request early, when its response is no longer needed. */
  readonly signal?: AbortSignal | undefined
}

export interface HttpResponse {
  readonly kind: 'response'
  readonly status: number
  /** Lower case, without parameters; empty if the response has none. */
  readonly contentType: string
  /** From Retry-After; null if it is absent or unreadable. */
  readonly retryAfterMs: number | null
  /** From Ratelimit, one for each policy. */
  readonly rateLimits: readonly RateLimit[]
  readonly body: string
  /** Whether something in front of the service refused the request. */
  readonly isFromFront: boolean
  /** Returns the text of a header, or null. */
  header(name: string): string | null
}

/** What a rate limit still allows until it starts over. */
export interface RateLimit {
  readonly remaining: number
  readonly resetMs: number
}

/** No complete response arrived. Both strings are safe to print. */
export interface HttpFailure {
  readonly kind: 'failure'
  /** `unsent`: this machine has no network yet. `untrusted`: its certificate was refused, so every attempt fails alike. */
  readonly cause:
    | 'timeout'
    | 'aborted'
    | 'reset'
    | 'cut'
    | 'too-large'
    | 'proxy'
    | 'unsent'
    | 'untrusted'
    | 'network'
  readonly detail: string
  /** What to do about it: a sentence or two, without the last full stop. */
  readonly fix?: string
  /** The error itself, whose message can hold remote text. */
  readonly error?: unknown
}

export type HttpOutcome = HttpResponse | HttpFailure

export type Exchange = (request: HttpRequest) => Promise<HttpOutcome>

/**
 * Parses Retry-After in either form (RFC 9110 §10.2.3). Returns milliseconds from `nowMs` (Unix time), or null if it is
 * absent or unreadable.
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null
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

/** Returns a response. `header` returns the text of a header. */
export function responseOf(
  status: number,
  header: (name: string) => string | null,
  body: string,
): HttpResponse {
  return {
    kind: 'response',
    status,
    contentType: (header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    retryAfterMs: parseRetryAfter(header('retry-after'), Date.now()),
    rateLimits: parseRateLimits(header('ratelimit') ?? ''),
    body,
    isFromFront: isFromFront(status, header, body),
    header,
  }
}

/** Returns the failure of a request that was ended: by its own limit, or because nobody needs it any more. */
export function ended({ timeoutMs }: HttpRequest, isTimeout: boolean): HttpFailure {
  return isTimeout
    ? failure('timeout', `no complete response within ${(timeoutMs / 1000).toFixed(1)} s`)
    : failure('aborted', 'not needed any more')
}

/** Returns the failure of a request that nothing ended. A connection can also be closed without an error. */
export function broken(responding: boolean, error: unknown): HttpFailure {
  const what = error === undefined ? 'closed' : nameOf(error)
  if (responding) return failure('cut', `the response was cut off (${what})`, error)
  const detail =
    what === 'ENOTFOUND' ? 'this machine cannot resolve its name (ENOTFOUND)' : `no response (${what})`
  return failure(what === 'ECONNRESET' ? 'reset' : 'network', detail, error)
}

/** Returns what happened and what to do about it, without the last full stop. Safe to print. */
export function explainFailure({ detail, fix }: HttpFailure): string {
  return fix === undefined ? detail : `${detail}. ${fix}`
}

export function tooLarge({ maxBytes }: HttpRequest): HttpFailure {
  return failure('too-large', `the response is longer than ${maxBytes} bytes`)
}

export function failure(cause: HttpFailure['cause'], detail: string, error?: unknown): HttpFailure {
  return { kind: 'failure', cause, detail, ...(error !== undefined && { error }) }
}

/** Returns the code of a system error, or the quoted message of another, which may contain remote text. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const code = 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : quote(error.message)
}
