import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestByHttp,
} from 'node:http'
import { request as requestByHttps } from 'node:https'
import { type ConnectOptions, createAgents, keptOpen } from './agent.ts'
import { explainCertificate } from './certificate.ts'
import { isOffline, whileUnsent } from './connect.ts'
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
  const endMs = performance.now() + request.timeoutMs
  const { family } = request
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(request.timeoutMs)))
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout
  let earlier: unknown
  const attempt = async (): Promise<HttpOutcome> => {
    const outcome = await send(request, { agent, proxy, endMs, ...(family && { family }) })
    if (outcome.kind === 'failure') earlier = outcome.error ?? earlier
    return outcome
  }
  // Without a route for one family, only the caller can know whether another request got through.
  const isUnsent = (outcome: HttpOutcome) =>
    outcome.kind === 'failure' &&
    outcome.cause === 'unsent' &&
    !(family && /UNREACH/.test(String((outcome.error as { code?: unknown }).code)))
  const outcome = await whileUnsent(attempt, isUnsent, signal)
  const isLate = outcome.kind === 'failure' && outcome.cause === 'timeout'
  return isLate ? ended(request, true, earlier) : outcome
}

function send(
  request: HttpRequest,
  connecting: RequestOptions & ConnectOptions & { readonly endMs: number },
): Promise<HttpOutcome> {
  const { method, url, headers, body, maxBytes, signal } = request
  return new Promise(resolve => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { method, headers: { ...headers, ...length }, ...connecting, ...(signal && { signal }) }
    const requestBy = url.startsWith('https:') ? requestByHttps : requestByHttp
    let sent: ClientRequest
    try {
      sent = requestBy(url, options, read)
    } catch (error) {
      // A header that cannot be sent, such as a token with a line break.
      resolve(explained(error))
      return
    }
    const timer = setTimeout(
      () => fail(ended(request, true)),
      Math.max(1, connecting.endMs - performance.now()),
    )
    let responding = false
    let answered = false
    sent.once('close', () => {
      clearTimeout(timer)
      // A connection can also end without a response or an error, such as by a protocol upgrade.
      if (!answered) failBy()
    })
    sent.once('error', failBy)
    sent.end(body)

    function failBy(error?: unknown): void {
      if (signal?.aborted) fail(ended(request, false))
      else if (isOffline(error)) fail(failure('unsent', `no response (${nameOf(error)})`, error))
      else fail(responding ? broken(true, error) : explained(error))
    }

    function fail(reason: HttpFailure): void {
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
