import { explainCertificate } from '../lib/certificate.ts'
import { isFromFront } from '../lib/in-front.ts'
import { quote } from '../lib/quote.ts'
import type { NodeResponse } from '../lib/request.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'PUT' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Connect over this address family only. */
  readonly family?: 4 | 6
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
  readonly rateLimits: readonly RateLimit[]
  readonly body: string
  /** Whether something in front of the service refused the request. */
  readonly isFromFront?: boolean
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
}

export type HttpOutcome = HttpResponse | HttpFailure

export type Exchange = (request: HttpRequest) => Promise<HttpOutcome>

/** Sends one request within the time that its source of the address has left. */
export type Send = (request: Omit<HttpRequest, 'timeoutMs' | 'signal'>) => Promise<HttpOutcome>

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

/** Returns a response. `header` returns the text of a header. */
export function responseOf(
  status: number,
  header: (name: string) => string | null | undefined,
  body: string,
): HttpResponse {
  return {
    kind: 'response',
    status,
    contentType: (header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    retryAfterMs: parseRetryAfter(header('retry-after') ?? undefined, Date.now()),
    rateLimits: parseRateLimits(header('ratelimit') ?? ''),
    body,
    isFromFront: isFromFront(status, header, body),
  }
}

/** Returns the outcome of a request that was sent with node:http. `isOffline` tells an error before anything was sent. */
export function outcomeOf(
  request: HttpRequest,
  sent: NodeResponse,
  isOffline: (error: unknown) => boolean,
): HttpOutcome {
  if (sent.kind === 'response')
    return responseOf(sent.status, name => sent.headers[name]?.toString(), sent.text)
  if (request.signal?.aborted) return ended(request, false)
  if (sent.failure === 'timeout') return ended(request, true, sent.cause)
  if (sent.failure === 'too-large') return tooLarge(request)
  const name = nameOf(sent.cause)
  return isOffline(sent.cause) ? failure('unsent', `no response (${name})`) : broken(sent.responding, name)
}

/**
 * Returns the failure of a request that was ended: by its own limit, or because nobody needs it any more. `earlier` is the error
 * of an attempt before, if there was one, which says more than that time ran out.
 */
export function ended({ timeoutMs }: HttpRequest, isTimeout: boolean, earlier?: unknown): HttpFailure {
  if (!isTimeout) return failure('aborted', 'not needed any more')
  const late = `no complete response within ${(timeoutMs / 1000).toFixed(1)} s`
  return earlier === undefined
    ? failure('timeout', late)
    : failure('network', `${late} (before: ${nameOf(earlier)})`)
}

/** Returns the failure of a request that nothing ended. `what` is the name of the error, safe to print. */
export function broken(responding: boolean, what: string): HttpFailure {
  if (responding) return failure('cut', `the response was cut off (${what})`)
  const certificate = explainCertificate(what)
  if (certificate) return { ...failure('untrusted', certificate.detail), fix: certificate.fix }
  return failure(what === 'ECONNRESET' ? 'reset' : 'network', `no response (${what})`)
}

/** Returns what happened and what to do about it, without the last full stop. Safe to print. */
export function explainFailure({ detail, fix }: HttpFailure): string {
  return fix === undefined ? detail : `${detail}. ${fix}`
}

export function tooLarge({ maxBytes }: HttpRequest): HttpFailure {
  return failure('too-large', `the response is longer than ${maxBytes} bytes`)
}

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

export function failure(cause: HttpFailure['cause'], detail: string): HttpFailure {
  return { kind: 'failure', cause, detail }
}

/** Returns the code of a system error, or the quoted message of another, which may contain remote text. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const code = 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : quote(error.message)
}
