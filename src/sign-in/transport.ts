/** A request to Entra. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body?: URLSearchParams
}

/** A complete response of Entra. */
export interface ProviderResponse {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** The Retry-After header; null without one. */
  readonly retryAfter: string | null
}

/** Why no complete response arrived. */
export type TransportFailure = 'timeout' | 'too-large' | 'no-answer' | 'untrusted'

export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly failure: TransportFailure
  /** What an operator should do about it, if that is known. */
  readonly advice: string | undefined

  constructor(failure: TransportFailure, cause?: unknown, advice?: string) {
    super(failure, { cause })
    this.failure = failure
    this.advice = advice
  }
}

/**
 * Sends one request and returns its complete response. Does not follow redirects, which would carry a secret or a token
 * elsewhere (RFC 9700 §4.12), and repeats nothing.
 * @throws TransportError
 */
export type Transport = (
  url: string,
  request: ProviderRequest,
  timeoutMs: number,
) => Promise<ProviderResponse>

/** Returns Retry-After in either form (RFC 9110 §10.2.3) as seconds from `now`; undefined when missing or malformed. */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const time = / GMT$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now) / 1000)
}

/** Maximum response to read, in bytes. Tokens and profiles have a few kilobytes. */
export const maxResponseBytes = 64 * 1024
