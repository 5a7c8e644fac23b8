import { setTimeout as pause } from 'node:timers/promises'
import type { Json, Properties } from '../properties.ts'

/** A request of a provider. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below the base URL, with its query. */
  readonly path: string
  readonly json?: Json
  readonly form?: FormData
  readonly fields?: URLSearchParams
}

/** An answer with any status, and its body as text. */
export interface RestReply {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** A service refused a request or could not be reached. The message quotes its answer. */
export class RestError extends Error {
  override readonly name = 'RestError'
  /** Undefined if there was no answer. */
  readonly status: number | undefined

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** As many retries as in the real provider, but with shorter pauses. It waits three minutes in total. */
const maxRetries = 10
const firstPauseMs = 20
const maxPauseMs = 300
/** Long enough for a Worker to start. The real providers have no limit, so a stalled call holds them for minutes. */
const callTimeoutMs = 60_000
const maxQuotedCharacters = 600

/** Returns whether to repeat a request after a status or a lost answer. */
export type Retrying = (status: number | 'lost') => boolean

/** The outcome of an attempt. A request whose connection was `lost` may be repeated, but one that timed out is not. */
type Attempt =
  | { readonly kind: 'answered'; readonly reply: RestReply }
  | { readonly kind: 'lost' | 'timed-out'; readonly error: RestError }

function bodyOf({ json, form, fields }: RestRequest) {
  if (json !== undefined) {
    return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  }
  const body = form ?? fields
  return body === undefined ? { headers: {} } : { body, headers: {} }
}

async function once(
  baseUrl: string,
  request: RestRequest,
  headers: Readonly<Record<string, string>>,
): Promise<Attempt> {
  const { body, headers: ofBody } = bodyOf(request)
  try {
    const response = await fetch(`${baseUrl}${request.path}`, {
      method: request.method,
      headers: { ...ofBody, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(callTimeoutMs),
    })
    const { status } = response
    return {
      kind: 'answered',
      reply: { status, type: response.headers.get('content-type') ?? '', body: await response.text() },
    }
  } catch (cause) {
    const reason = cause instanceof Error ? `${cause.message} ${String(cause.cause ?? '')}`.trim() : ''
    const message = `${request.method} ${request.path}: no answer from ${baseUrl}: ${reason}`
    const kind = cause instanceof Error && cause.name === 'TimeoutError' ? 'timed-out' : 'lost'
    return { kind, error: new RestError(message, undefined, { cause }) }
  }
}

const shorten = (body: string): string => body.slice(0, maxQuotedCharacters)

/**
 * Sends a request and repeats it as `retrying` says.
 * @param baseUrl without a trailing slash
 * @param quote returns what the provider's message says of the body of an error
 * @throws RestError if the status is not 2xx, or if there is no answer
 */
export async function send(
  baseUrl: string,
  request: RestRequest,
  headers: Readonly<Record<string, string>>,
  retrying: Retrying,
  quote = shorten,
): Promise<RestReply> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await once(baseUrl, request, headers)
    if (outcome.kind === 'answered') {
      const { status, body } = outcome.reply
      if (status >= 200 && status < 300) return outcome.reply
      if (attempt === maxRetries || !retrying(status)) {
        throw new RestError(`${request.method} ${request.path}: ${status} ${quote(body)}`, status)
      }
    } else if (attempt === maxRetries || outcome.kind === 'timed-out' || !retrying('lost'))
      throw outcome.error
    await pause(Math.min(firstPauseMs * 2 ** attempt, maxPauseMs))
  }
}

/** Resolves to the result of a call, or to null if the service answers 404. */
export async function unlessGone<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof RestError && error.status === 404) return null
    throw error
  }
}

/** Parses the body of an answer. @throws RestError if it is not a JSON object */
export function objectIn({ body }: RestReply): Properties {
  const value = JSON.parse(body) as Json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RestError('The service answered with JSON that is not an object.')
  }
  return value as Properties
}
