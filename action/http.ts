import type { Agent } from 'node:http'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import { isOffline, open, pendingLookups } from '../lib/connect.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import { failure, type HttpOutcome, type HttpRequest, outcomeOf } from './exchange.ts'

/** A connection idle for longer is not used again: the server, or a NAT box on the way, may have dropped it. */
const connections = { keepAlive: true, timeout: 4000 }

/** How long the names of the first requests have until TLS is loaded, which keeps the process busy. In milliseconds. */
const lookupMs = 10
/** The lookups of the connections that were begun before TLS is loaded. */
const lookups: Promise<void>[] = []

/** What sends requests. TLS takes most of the start of a process, so it is loaded while the first connections are made. */
async function loadToolkit() {
  // The requests of a round begin in one turn of the event loop.
  await turn()
  await Promise.race([Promise.all(lookups), pause(lookupMs)])
  const [{ sendRequest }, { createAgent }] = await Promise.all([
    import('../lib/request.ts'),
    import('../lib/agent.ts'),
  ])
  return { sendRequest, createAgent }
}

let toolkit: Awaited<ReturnType<typeof loadToolkit>> | null = null

/** The agent of each origin, whose connections stay open from request to request. */
const agents = new Map<string, Agent>()

/**
 * Sends one request and returns its outcome within the limit, through https_proxy if it is set. Never throws because of the
 * network, and repeats only what could not be sent because this machine has no network yet. Redirects are returned, not
 * followed, because that would send the token along.
 */
export async function exchange(request: HttpRequest): Promise<HttpOutcome> {
  const { method, body, family, signal, maxBytes, timeoutMs } = request
  const endMs = performance.now() + timeoutMs
  const url = new URL(request.url)
  const proxy = getProxyUrl(url)
  const begun = toolkit || proxy ? undefined : connectEarly(url, request, endMs)
  toolkit ??= await loadToolkit()
  const { createAgent, sendRequest } = toolkit
  const agent = getOrCreate(agents, url.origin, () => createAgent(url, connections))
  const sent = await sendRequest(request.url, {
    ...{ method, body, agent, maxBytes, signal },
    headers: { 'user-agent': 'homeport-action', ...request.headers },
    timeoutMs: endMs - performance.now(),
    connecting: { begun, proxy, family },
  })
  const outcome = outcomeOf(request, sent, isOffline)
  if (
    outcome.kind === 'failure' &&
    outcome.cause === 'timeout' &&
    pendingLookups((proxy ?? url).hostname) > 0
  )
    return { ...outcome, detail: `${outcome.detail}: its name was not resolved` }
  const { cause = null } = sent.kind === 'failure' ? sent : {}
  if (outcome.kind === 'response' || !(cause instanceof Error && 'proxyStatus' in cause)) return outcome
  if (cause.proxyStatus === 407) return failure('proxy', proxyRefusal(proxy))
  return { ...outcome, detail: `the proxy in https_proxy: ${outcome.detail}` }
}

/** Begins the connection of a request. A failure is reported by the request that waits for it. */
function connectEarly({ protocol, hostname, port }: URL, { family, signal }: HttpRequest, endMs: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  lookups.push(promise)
  const target = {
    // An IPv6 address has brackets in a URL.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? 443 : 80),
    endMs,
    ...(family && { family }),
    ...(signal && { signal }),
  }
  const socket = open(target, resolve)
  socket.catch(() => {})
  return socket
}

/** Says what a proxy wants that answers 407 (RFC 9110 §15.5.8), without its URL, which may hold a password. */
function proxyRefusal(proxy: URL | undefined): string {
  return proxy?.username
    ? 'the proxy rejected the user name and password in its URL (407). Correct them in https_proxy'
    : 'the proxy wants a user name and password (407). Put them into https_proxy, as in http://USER:PASSWORD@host:port, with special characters percent-encoded'
}
