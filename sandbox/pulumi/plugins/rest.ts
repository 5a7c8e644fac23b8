import { setTimeout as pause } from 'node:timers/promises'
import type { Json, Properties } from '../properties.ts'

/** A request as a provider sends it. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the root of the interface, with its query. */
  readonly path: string
  readonly json?: Json
  readonly form?: FormData
  readonly fields?: URLSearchParams
}

export interface Reply {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** The service refused, or could not be reached; the message has what it said. */
export class RestError extends Error {
  override readonly name = 'RestError'
  /** Undefined when no answer came. */
  readonly status: number | undefined

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/**
 * As often as the real provider, eleven times in all. It waits three minutes on the way, and a test does not: these
 * pauses double from 20 ms to 300 ms.
 */
const mostRetries = 10
const firstPauseMs = 20
const longestPauseMs = 300
/** Time enough for a Worker to start; after that the outcome of a call is unknown. */
const callTimeoutMs = 8_000
const longestQuotation = 600

/** Which answers are asked for again. */
export type Retrying = (status: number) => boolean

function bodyOf({ json, form, fields }: Request) {
  if (json !== undefined) {
    return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  }
  const body = form ?? fields
  return body === undefined ? { headers: {} } : { body, headers: {} }
}

async function once(
  baseUrl: string,
  request: Request,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { body, headers: ofBody } = bodyOf(request)
  try {
    const response = await fetch(`${baseUrl}${request.path}`, {
      method: request.method,
      headers: { ...ofBody, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(callTimeoutMs),
    })
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      body: await response.text(),
    }
  } catch (cause) {
    const reason = cause instanceof Error ? `${cause.message} ${String(cause.cause ?? '')}`.trim() : ''
    throw new RestError(
      `${request.method} ${request.path}: no answer from ${baseUrl}: ${reason}`,
      undefined,
      { cause },
    )
  }
}

/**
 * Sends a request, again while the answer is one to be asked for again.
 * @param baseUrl without a slash at its end
 * @throws RestError on any status but 2xx, and when no answer came; that is not tried again, since nobody knows whether
 *   the service did what it was asked
 */
export async function send(
  baseUrl: string,
  request: Request,
  headers: Readonly<Record<string, string>>,
  retrying: Retrying,
): Promise<Reply> {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await once(baseUrl, request, headers)
    if (reply.status >= 200 && reply.status < 300) return reply
    if (attempt === mostRetries || !retrying(reply.status)) {
      const said = reply.body.slice(0, longestQuotation)
      throw new RestError(`${request.method} ${request.path}: ${reply.status} ${said}`, reply.status)
    }
    await pause(Math.min(firstPauseMs * 2 ** attempt, longestPauseMs))
  }
}

/** What a call resolves to, or undefined when the service has no such thing. */
export async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof RestError && error.status === 404) return undefined
    throw error
  }
}

/** @throws RestError when it is no object */
export function parseObject({ body }: Reply): Properties {
  const value = JSON.parse(body) as Json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RestError('The service answered with JSON that is no object.')
  }
  return value as Properties
}
