/** What is asked of the provider. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body?: URLSearchParams
}

/** A whole answer of the provider. */
export interface UpstreamAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** Seconds from Retry-After; undefined without one that can be read. */
  readonly retryAfter: number | undefined
}

/** No whole answer came. */
export type UpstreamFailure = 'timeout' | 'too-large' | 'no-answer'

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly failure: UpstreamFailure

  constructor(failure: UpstreamFailure, cause?: unknown) {
    super(failure, { cause })
    this.failure = failure
  }
}

/**
 * One request, its whole answer within the time and the size, or an UpstreamError. Redirects are not followed: they
 * would carry a secret or a token elsewhere (RFC 9700 §4.12).
 */
export type Transport = (url: string, request: UpstreamRequest, timeoutMs: number) => Promise<UpstreamAnswer>

/** Tokens and profiles are a few kilobytes; whatever is longer is neither. */
export const maxAnswerBytes = 64 * 1024

/** Retry-After in either form (RFC 9110 §10.2.3) as seconds from `now`, Unix milliseconds. */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const time = / GMT$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now) / 1000)
}
