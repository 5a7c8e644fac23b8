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

/** Tokens and profiles are a few kilobytes; whatever is longer is neither. */
const maxAnswerBytes = 64 * 1024

/**
 * One request, its whole answer within the time, or an UpstreamError. Redirects are not followed: they would carry a
 * secret or a token elsewhere (RFC 9700 §4.12).
 */
export async function boundedFetch(
  url: string,
  init: { method: string; headers: Record<string, string>; body?: URLSearchParams },
  timeoutMs: number,
): Promise<UpstreamAnswer> {
  const signal = AbortSignal.timeout(Math.max(1, timeoutMs))
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      text: await readBounded(response),
      retryAfter: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
    }
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    throw new UpstreamError(signal.aborted ? 'timeout' : 'no-answer', error)
  }
}

async function readBounded(response: Response): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxAnswerBytes) {
      await reader.cancel().catch(() => undefined)
      throw new UpstreamError('too-large')
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Retry-After in either form (RFC 9110 §10.2.3) as seconds from `now`, Unix milliseconds. */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const time = / GMT$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now) / 1000)
}
