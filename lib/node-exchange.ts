import { type Agent, type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { type ConnectOptions, createAgents, keptOpen } from './agent.ts'
import { explainCertificate } from './certificate.ts'
import { isOffline, maxAttemptMs, ofAddress } from './connect.ts'
import {
  broken,
  ended,
  failure,
  type HttpFailure,
  type HttpOutcome,
  type HttpRequest,
  nameOf,
  responseOf,
  tooLarge,
} from './exchange.ts'

/** The wait before another attempt while there is no network, in milliseconds. */
const pauseMs = 250

/**
 * Creates a sender of requests with node:http. It has agents, and a sign-in needs a sixth less processor time than with fetch
 * (docs/development/benchmarks.md). It follows no redirect, repeats only what could not be sent because the machine has no network
 * yet, and never rejects.
 * @param own headers to add, unless a request has its own
 * @returns a function of a request and, if a tunnel is to be used, of the HTTP proxy
 */
export function createNodeExchange(
  own: HttpRequest['headers'] = {},
  agentFor: (url: string) => Agent = createAgents(keptOpen),
): (request: HttpRequest, proxy?: URL) => Promise<HttpOutcome> {
  return (request, proxy) =>
    sendWhenOnline({ ...request, headers: { ...own, ...request.headers } }, agentFor(request.url), proxy)
}

async function sendWhenOnline(request: HttpRequest, agent: Agent, proxy?: URL): Promise<HttpOutcome> {
  const { family } = request
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(request.timeoutMs)))
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
  // Without a route for one family, only the caller can know whether another request got through.
  const isUnsent = (outcome: HttpOutcome) =>
    outcome.kind === 'failure' &&
    outcome.cause === 'unsent' &&
    !(family && /UNREACH/.test(nameOf(outcome.error)))
  for (let earlier: HttpOutcome | undefined; ; ) {
    earlier = await send(request, signal, { agent, proxy }, earlier)
    if (isUnsent(earlier)) await setTimeout(pauseMs, undefined, { signal }).catch(() => {})
    if (!isUnsent(earlier) || signal.aborted) return earlier
  }
}

/** Sends a request once. @param earlier what came of the attempt before, which sent nothing */
function send(
  request: HttpRequest,
  stop: AbortSignal,
  connecting: ConnectOptions,
  earlier: HttpOutcome | undefined,
): Promise<HttpOutcome> {
  const { method, url, headers, body, maxBytes, family, timeoutMs } = request
  return new Promise(resolve => {
    const options: ConnectOptions = {
      ...connecting,
      method,
      headers,
      family,
      stop,
      // No single address uses up the request.
      autoSelectFamilyAttemptTimeout: Math.ceil(Math.min(maxAttemptMs, timeoutMs / 2)),
    }
    const requestBy = url.startsWith('https:') ? requestByHttps : requestByHttp
    let sent: ClientRequest
    try {
      sent = requestBy(url, options, read)
    } catch (error) {
      // A header that cannot be sent, such as a token with a line break.
      resolve(explained(error))
      return
    }
    let responding = false
    let answered = false
    stop.addEventListener('abort', failBy)
    sent.once('close', () => {
      // Until the time is up, the signal would keep all that a response brought.
      stop.removeEventListener('abort', failBy)
      // A connection can also end without a response or an error, such as by a protocol upgrade.
      if (!answered) failBy()
    })
    sent.once('error', error => failBy(ofAddress(error)))
    sent.end(body)
    if (stop.aborted) failBy()

    function failBy(error?: unknown): void {
      const isTimeout = !request.signal?.aborted
      const isUnsent = isTimeout && sent.socket?.connecting !== false
      if (stop.aborted) fail((isUnsent && earlier) || ended(request, isTimeout))
      else if (isOffline(error)) fail(failure('unsent', `no response (${nameOf(error)})`, error))
      else fail(responding ? broken(true, error) : explained(error))
    }

    function fail(reason: HttpOutcome): void {
      resolve(reason)
      sent.destroy()
    }

    function read(response: IncomingMessage): void {
      responding = true
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) fail(tooLarge(request))
        else chunks.push(chunk)
      })
      response.once('error', failBy)
      response.once('end', () => {
        answered = true
        const { statusCode: status = 0, headers: received } = response
        const header = (name: string) => received[name]?.toString() ?? null
        resolve(responseOf(status, header, Buffer.concat(chunks).toString('utf8')))
      })
    }
  })
}

/** Returns the failure of a request that got no response, and what to do if a certificate was refused. No Worker learns that. */
function explained(error: unknown): HttpFailure {
  const certificate = explainCertificate(nameOf(error))
  if (certificate === null) return broken(false, error)
  return { ...failure('untrusted', certificate.detail, error), fix: certificate.fix }
}
