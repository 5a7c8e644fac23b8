import type { Agent, RequestOptions } from 'node:http'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { HttpClient } from '@actions/http-client'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import type { ConnectOptions } from '../lib/agent.ts'
import { isOffline, maxAttemptMs, open, whileUnsent } from '../lib/connect.ts'
import {
  broken,
  ended,
  failure,
  type HttpFailure,
  type HttpOutcome,
  type HttpRequest,
  nameOf,
  readResponse,
} from './exchange.ts'

const userAgent = 'homeport-action'
/** A connection idle for longer is not used again: the server, or a NAT box on the way, may have dropped it. */
const maxIdleMs = 4000

/** How long the names of the first requests have until TLS is loaded, which keeps the process busy. In milliseconds. */
const lookupMs = 10
/** The lookups of the connections that were begun before TLS is loaded. */
const lookups: Promise<void>[] = []

/** What sends requests. TLS takes most of the start of a process, so it is loaded while the first connections are made. */
async function loadToolkit() {
  // The requests of a round begin in one turn of the event loop.
  await turn()
  await Promise.race([Promise.all(lookups), pause(lookupMs)])
  const [{ HttpClient }, { createAgent }] = await Promise.all([
    import('@actions/http-client'),
    import('../lib/agent.ts'),
  ])
  return { HttpClient, createAgent }
}

type Toolkit = Awaited<ReturnType<typeof loadToolkit>>

let toolkit: Toolkit | null = null

/** How a request connects. */
type Connecting = Pick<ConnectOptions, 'endMs' | 'begun'> & { readonly signal: AbortSignal }

interface OpenClient {
  readonly client: HttpClient
  /** Null through a proxy, to which the client connects itself. */
  readonly agent: Agent | null
  active: number
  idleSinceMs: number
}

/** The client of each origin, whose connections stay open from request to request. */
const clients = new Map<string, OpenClient>()

/**
 * Sends one request and returns its outcome within the limit, whatever the transport does. Never throws because of the
 * network, and repeats only what could not be sent because this machine has no network yet. Redirects are returned, not
 * followed: the client would send the token to another port of the same host.
 */
export async function exchange(request: HttpRequest): Promise<HttpOutcome> {
  const endMs = performance.now() + request.timeoutMs
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort('timeout'), Math.max(1, request.timeoutMs))
  const cancel = () => abort.abort('aborted')
  if (request.signal?.aborted) cancel()
  request.signal?.addEventListener('abort', cancel, { once: true })
  let unsent: HttpFailure | null = null
  let begun = toolkit ? undefined : connectEarly(request, abort.signal, endMs)
  const send = async () => {
    unsent = null
    toolkit ??= await loadToolkit()
    const outcome = await attempt(request, { signal: abort.signal, endMs, begun }, toolkit)
    begun = undefined
    if (outcome.kind === 'failure' && outcome.cause === 'unsent') unsent = outcome
    return outcome
  }
  // Without a route for one family, only the caller can know whether another request got through.
  const isLate = () => unsent !== null && !(request.family && /UNREACH/.test(unsent.detail))
  try {
    const late = endedBy(abort.signal, request).then(outcome => unsent ?? outcome)
    return await Promise.race([late, whileUnsent(send, isLate, abort.signal)])
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', cancel)
  }
}

/** Begins the connection of a request that goes through no proxy. A failure is reported by the request that waits for it. */
function connectEarly({ url: text, family }: HttpRequest, signal: AbortSignal, endMs: number) {
  const url = new URL(text)
  if (getProxyUrl(url)) return undefined
  const port = url.port || (url.protocol === 'https:' ? 443 : 80)
  const target = { host: hostOf(url.hostname), port, signal, endMs, ...(family && { family }) }
  const { promise, resolve } = Promise.withResolvers<void>()
  lookups.push(promise)
  const socket = open(target, resolve)
  socket.catch(() => {})
  return socket
}

/** Returns a host without the brackets that an IPv6 address has in a URL. */
const hostOf = (host: string) => host.replace(/^\[|\]$/g, '')

/** Resolves when the signal ends the request. The transport gets the signal too, but may ignore it. */
function endedBy(signal: AbortSignal, request: HttpRequest): Promise<HttpFailure> {
  return new Promise(resolve => {
    const end = () => resolve(ended(request, signal.reason === 'timeout'))
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Never rejects. Reads the body from the stream: the client's `readBody` never settles if the connection breaks. */
async function attempt(request: HttpRequest, connecting: Connecting, toolkit: Toolkit): Promise<HttpOutcome> {
  const { signal } = connecting
  let responding = false
  const open = clientOf(new URL(request.url), toolkit)
  open.active++
  try {
    // The client reads its handlers before it first waits, so concurrent requests each get their own.
    open.client.handlers = [connectionOptions(request, connecting, open.agent)]
    const { message } = await open.client.request(request.method, request.url, request.body ?? null, {
      ...request.headers,
    })
    responding = true
    const header = (name: string) => message.headers[name]?.toString()
    return await readResponse(request, message.statusCode ?? 0, header, message, (chunks: Buffer[]) =>
      Buffer.concat(chunks).toString('utf8'),
    )
  } catch (error) {
    if (signal.aborted) return ended(request, signal.reason === 'timeout')
    // The client gives a tunnel that the proxy refused the code ECONNRESET, although nothing was reset.
    const isTunnel = String(error).startsWith('Error: tunneling socket could not be established')
    const name = nameOf(isTunnel ? new Error((error as Error).message) : error)
    if (name.includes('statusCode=407')) return failure('proxy', proxyRefusal(new URL(request.url)))
    // As the client describes what kept it from the proxy.
    const isCut = /\bcause=(getaddrinfo EAI_AGAIN|connect E(NET|HOST)UNREACH)\b/.test(name)
    return isOffline(error) || isCut ? failure('unsent', `no response (${name})`) : broken(responding, name)
  } finally {
    open.active--
    open.idleSinceMs = performance.now()
  }
}

/** Says what a proxy wants that answers 407 (RFC 9110 §15.5.8), without its URL, which may hold a password. */
function proxyRefusal(url: URL): string {
  return getProxyUrl(url)?.username
    ? 'the proxy rejected the user name and password in its URL (407). Correct them in https_proxy'
    : 'the proxy wants a user name and password (407). Put them into https_proxy, as in http://USER:PASSWORD@host:port'
}

/**
 * Returns the client of an origin. Through a proxy each request gets a tunnel of its own: the client ends the CONNECT of a
 * kept tunnel by the signal of another request.
 */
function clientOf(url: URL, { HttpClient, createAgent }: Toolkit): OpenClient {
  const open = clients.get(url.origin)
  const stale = open?.active === 0 && performance.now() - open.idleSinceMs > maxIdleMs
  if (open && !stale) return open
  open?.agent?.destroy()
  const keepAlive = getProxyUrl(url) === undefined
  const client = new HttpClient(userAgent, [], { keepAlive, allowRedirects: false, allowRetries: false })
  const agent = keepAlive ? createAgent(url, { keepAlive }) : null
  const created = { client, agent, active: 0, idleSinceMs: 0 }
  if (keepAlive) clients.set(url.origin, created)
  return created
}

/**
 * Sets options of node:http for which the client has no setting. Through a proxy, a request has no socket until the tunnel
 * is open, so the signal must end the CONNECT as well.
 */
function connectionOptions(request: HttpRequest, connecting: Connecting, ofOrigin: Agent | null) {
  return {
    prepareRequest(options: RequestOptions & ConnectOptions) {
      Object.assign(options, connecting)
      options.host = hostOf(options.host ?? '')
      const { agent } = options
      if (typeof agent === 'object' && 'proxyOptions' in agent)
        Object.assign(agent.proxyOptions as object, {
          signal: connecting.signal,
          autoSelectFamilyAttemptTimeout: maxAttemptMs,
        })
      else if (ofOrigin) options.agent = ofOrigin
      if (request.family) options.family = request.family
    },
    canHandleAuthentication: () => false,
    handleAuthentication: () => Promise.reject(new Error('no authentication handler is used')),
  }
}
