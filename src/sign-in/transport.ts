import type { Exchange, HttpFailure } from '../../lib/exchange.ts'

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

/** Maximum response to read, in bytes. Tokens and profiles have a few kilobytes. */
const maxResponseBytes = 64 * 1024

/** Creates a transport from what sends requests. */
export function createTransport(send: Exchange): Transport {
  return async (url, { method, headers, body }, timeoutMs) => {
    const request = { method, url, headers, body: body?.toString(), timeoutMs, maxBytes: maxResponseBytes }
    const outcome = await send(request)
    if (outcome.kind === 'failure') throw errorOf(outcome)
    const { status, contentType, body: text, header } = outcome
    return { status, contentType, text, retryAfter: header('retry-after') }
  }
}

function errorOf({ cause, error, detail, fix }: HttpFailure): TransportError {
  if (cause === 'untrusted')
    return new TransportError(cause, error, `Entra or Graph was not asked: ${detail}. ${fix}.`)
  return new TransportError(cause === 'timeout' || cause === 'too-large' ? cause : 'no-answer', error)
}
