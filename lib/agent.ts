import {
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestByHttp,
} from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as requestByHttps } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { countedLookup, maxAttemptMs, waitForAddresses } from './connect.ts'

/** A request's options, with what an agent reads of them besides those of Node. */
export interface ConnectOptions extends RequestOptions {
  /** The HTTP proxy to go through, by a tunnel. Its credentials are not percent-encoded. */
  readonly proxy?: URL | undefined
  /** Ends the opening of a tunnel. Node gives an agent no `signal`. */
  readonly stop?: AbortSignal
  /** How long one of several addresses can take, in milliseconds. */
  readonly autoSelectFamilyAttemptTimeout?: number
}

/** Variables that name a proxy: `HTTPS_PROXY` and `NO_PROXY`, in either case. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>

/** Connections stay open, but are closed while idle before a server or a NAT box drops them, which can fail a request. */
export const keptOpen: AgentOptions = { keepAlive: true, timeout: 4000 }

/**
 * Returns a function that returns the agent for a URL, one for each protocol. An agent tries the addresses of a host one after the other, families in
 * turn. With `proxyEnv`, Node decides which https requests go through a proxy.
 */
export function createAgents(options: AgentOptions, proxyEnv: ProxyEnv = {}): (url: string) => HttpAgent {
  const isProxied = Boolean(proxyEnv['HTTPS_PROXY'] || proxyEnv['https_proxy'])
  if (isProxied) waitForAddresses()
  const byHttp = patient(new HttpAgent(options))
  let byHttps: HttpAgent | undefined
  return url => {
    if (!url.startsWith('https:')) return byHttp
    // Node throws if the URL of the proxy is malformed, and settings are read before the first request.
    byHttps ??= isProxied ? new HttpsAgent({ ...options, proxyEnv }) : patient(new HttpsAgent(options))
    return byHttps
  }
}

type Connect = (
  target: object,
  callback?: (error: Error | null, socket?: Duplex) => void,
) => Duplex | undefined

/** Makes an agent give each address of a host its time, and go through the proxy of a request. */
function patient(agent: HttpAgent): HttpAgent {
  // Node's types want a socket even for a failure.
  const connect = agent.createConnection.bind(agent) as Connect
  const connectPatiently: Connect = ({ proxy, family = 0, ...target }: ConnectOptions, callback) => {
    if (proxy) {
      // Node starts TLS on a socket that it is given.
      const start = (socket: Socket) => callback?.(null, connect({ ...target, socket }))
      openTunnel(proxy, target).then(start, callback)
      return undefined
    }
    // If Node is told a family, it tries only the first address.
    const lookup: LookupFunction = (host, given, done) => countedLookup(host, { ...given, family }, done)
    return connect({ autoSelectFamilyAttemptTimeout: maxAttemptMs, ...target, lookup })
  }
  return Object.assign(agent, { createConnection: connectPatiently })
}

/**
 * Opens a tunnel to a host through a proxy (RFC 9110 §9.3.6). An error has `proxyStatus`: the status of a
 * proxy that refuses, or null. Node's own tunnels, by `proxyEnv`, begin with 22.21 and 24.5, and the action runs on 22.3 and newer.
 */
function openTunnel(proxy: URL, { host, port, stop }: ConnectOptions): Promise<Socket> {
  const path = `${host?.includes(':') ? `[${host}]` : host}:${port}`
  const credentials = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64')
  const headers = { Host: path, ...(proxy.username && { 'Proxy-Authorization': `Basic ${credentials}` }) }
  const isSecure = proxy.protocol === 'https:'
  const request = isSecure ? requestByHttps : requestByHttp
  return new Promise((resolve, reject) => {
    const sent = request({
      method: 'CONNECT',
      path,
      headers,
      agent: createAgents({})(proxy.href),
      signal: stop,
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (isSecure ? 443 : 80),
    })
    sent.once('connect', ({ statusCode }: IncomingMessage, socket: Socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(Object.assign(new Error(`status ${statusCode}`), { proxyStatus: statusCode }))
    })
    sent.once('error', error => reject(Object.assign(error, { proxyStatus: null })))
    sent.end()
  })
}
