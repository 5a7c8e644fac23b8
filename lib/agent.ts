import { Agent as HttpAgent, type IncomingMessage, request as requestByHttp } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as requestByHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { open, type Target, waitForAddresses } from './connect.ts'

/** What an agent reads of a request's options besides those of Node. */
export interface ConnectOptions extends Target {
  /** The HTTP proxy to go through, by a tunnel. Its credentials are not percent-encoded. */
  readonly proxy?: URL | undefined
}

type Callback = (error: Error | null, socket: Duplex) => void

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
  const byHttp = new PatientHttpAgent(options)
  const byHttps = isProxied ? new HttpsAgent({ ...options, proxyEnv }) : new PatientHttpsAgent(options)
  return url => (url.startsWith('https:') ? byHttps : byHttp)
}

class PatientHttpAgent extends HttpAgent {
  override createConnection(target: ConnectOptions, callback?: Callback): undefined {
    giveTo(callback, connect(target))
  }
}

class PatientHttpsAgent extends HttpsAgent {
  override createConnection(target: ConnectOptions, callback?: Callback): undefined {
    // Node starts TLS on a socket that it is given.
    const secure = (socket: Socket) => super.createConnection({ ...target, socket } as object) as Duplex
    giveTo(callback, connect(target).then(secure))
  }
}

function giveTo(callback: Callback | undefined, connecting: Promise<Duplex>): void {
  connecting.then(
    socket => callback?.(null, socket),
    // Node's types want a socket even for a failure.
    (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
  )
}

function connect(target: ConnectOptions): Promise<Socket> {
  return target.proxy ? openTunnel(target.proxy, target) : open(target)
}

/**
 * Opens a tunnel to a host through a proxy (RFC 9110 §9.3.6). An error has `proxyStatus`: the status of a
 * proxy that refuses, or null. Node's own tunnels, by `proxyEnv`, begin with 22.21 and 24.5, and the action runs on 22.3 and newer.
 */
function openTunnel(proxy: URL, { host = '', port, signal, endMs }: ConnectOptions): Promise<Socket> {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const credentials = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64')
  const headers = { Host: path, ...(proxy.username && { 'Proxy-Authorization': `Basic ${credentials}` }) }
  const request = proxy.protocol === 'https:' ? requestByHttps : requestByHttp
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ method: 'CONNECT', path, headers, agent: createAgents({})(proxy.href) },
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      ...{ signal, endMs },
    })
    const leftMs = endMs === undefined ? 0 : Math.max(1, endMs - performance.now())
    const timer = leftMs > 0 ? setTimeout(() => sent.destroy(), leftMs) : undefined
    sent.once('connect', ({ statusCode }: IncomingMessage, socket: Socket) => {
      clearTimeout(timer)
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(Object.assign(new Error(`status ${statusCode}`), { proxyStatus: statusCode }))
    })
    sent.once('error', error => {
      clearTimeout(timer)
      reject(Object.assign(error, { proxyStatus: null }))
    })
    sent.end()
  })
}
