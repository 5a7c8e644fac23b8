import {
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestByHttp,
} from 'node:http'
import { request as requestByHttps } from 'node:https'
import type { ConnectOptions } from './agent.ts'
import { isOffline, whileUnsent } from './connect.ts'

/** A request of a client that has an agent. */
export interface NodeRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly agent: Agent
  /** Limit for connecting, sending and reading the whole response. */
  readonly timeoutMs: number
  /** A longer body is a failure, and is not read to the end. */
  readonly maxBytes: number
  /** Ends the request early. */
  readonly signal?: AbortSignal | undefined
  /** How the agent connects. */
  readonly connecting?: Pick<ConnectOptions, 'begun' | 'proxy'> & { readonly family?: 4 | 6 | undefined }
}

/** A whole response, or why there is none. */
export type NodeResponse =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly text: string
    }
  | {
      readonly kind: 'failure'
      readonly failure: 'timeout' | 'too-large' | 'no-answer'
      /** After a timeout, why an earlier attempt could not be sent. */
      readonly cause?: unknown
      /** Whether the response had begun. */
      readonly responding: boolean
    }

/**
 * Sends a request with node:http, which a sign-in needs a sixth less processor time for than with fetch
 * (docs/development/benchmarks.md), and which has agents. Follows no redirect, and repeats only what could not be sent
 * because the machine has no network yet. Never rejects.
 */
export async function sendRequest(url: string, request: NodeRequest): Promise<NodeResponse> {
  const endMs = performance.now() + request.timeoutMs
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(request.timeoutMs)))
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
  const { begun, family, ...connecting } = request.connecting ?? {}
  let first = begun
  let earlier: unknown
  const attempt = async (): Promise<NodeResponse> => {
    const options = { ...connecting, begun: first, endMs, ...(family && { family }) }
    first = undefined
    const outcome = await send(url, request, options)
    if (outcome.kind === 'failure') earlier = outcome.cause ?? earlier
    return outcome
  }
  // Without a route for one family, only the caller can know whether another request got through.
  const isUnsent = (outcome: NodeResponse) =>
    outcome.kind === 'failure' &&
    isOffline(outcome.cause) &&
    !(family && /UNREACH/.test(String((outcome.cause as { code?: unknown }).code)))
  const outcome = await whileUnsent(attempt, isUnsent, signal)
  const isTimeout = outcome.kind === 'failure' && outcome.failure === 'timeout'
  return isTimeout && earlier !== undefined ? { ...outcome, cause: earlier } : outcome
}

function send(
  url: string,
  { method, headers, body, agent, maxBytes, signal }: NodeRequest,
  connecting: ConnectOptions & { readonly endMs: number },
): Promise<NodeResponse> {
  return new Promise(resolve => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = {
      method,
      headers: { ...headers, ...length },
      agent,
      ...connecting,
      ...(signal && { signal }),
    }
    const requestBy = url.startsWith('https:') ? requestByHttps : requestByHttp
    let sent: ClientRequest
    try {
      sent = requestBy(url, options, read)
    } catch (cause) {
      // A header that cannot be sent, such as a token with a line break.
      resolve({ kind: 'failure', failure: 'no-answer', cause, responding: false })
      return
    }
    const timer = setTimeout(() => fail('timeout'), Math.max(1, connecting.endMs - performance.now()))
    let responding = false
    let answered = false
    sent.once('close', () => {
      clearTimeout(timer)
      // A connection can also end without a response or an error, such as by a protocol upgrade.
      if (!answered) fail('no-answer')
    })
    sent.once('error', error => fail('no-answer', error))
    sent.end(body)

    function fail(failure: 'timeout' | 'too-large' | 'no-answer', cause?: unknown): void {
      resolve({ kind: 'failure', failure, cause, responding })
      sent.destroy()
    }

    function read(response: IncomingMessage): void {
      responding = true
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) fail('too-large')
        else chunks.push(chunk)
      })
      response.once('error', error => fail('no-answer', error))
      response.once('end', () => {
        answered = true
        const { statusCode: status = 0, headers } = response
        resolve({ kind: 'response', status, headers, text: Buffer.concat(chunks).toString('utf8') })
      })
    }
  })
}
