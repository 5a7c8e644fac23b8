import * as http from 'node:http'
import * as https from 'node:https'
import { isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { credentialsOf, proxyFor } from './proxy.ts'

/** Idle connections are closed after this: the server, or a NAT box on the way, may have dropped older ones. */
const maxIdleMs = 4000
const maxConnectMs = 10_000
const keptOpen = { keepAlive: true, timeout: maxIdleMs } as const
const agents = new Map<string, http.Agent>()

/** Returns the agent of a host, which keeps its connections open from request to request. */
export function agentFor(url: URL): http.Agent {
  const proxy = proxyFor(url, process.env)
  const key = `${url.origin} ${proxy?.href}`
  const agent = agents.get(key) ?? createAgent(url, proxy)
  agents.set(key, agent)
  return agent
}

function createAgent({ protocol }: URL, proxy: URL | null): http.Agent {
  if (proxy) return new TunnelAgent(proxy)
  return protocol === 'https:' ? new https.Agent(keptOpen) : new http.Agent(keptOpen)
}

/** Connects through an HTTP proxy: CONNECT (RFC 9110 §9.3.6), then TLS to the server inside the tunnel. */
class TunnelAgent extends https.Agent {
  readonly #proxy: URL

  constructor(proxy: URL) {
    super(keptOpen)
    this.#proxy = proxy
  }

  override createConnection(
    options: https.RequestOptions,
    onConnection: (error: Error | null, connection: Duplex) => void,
  ): undefined {
    const host = isIPv6(options.host ?? '') ? `[${options.host}]` : options.host
    const target = `${host}:${options.port}`
    const credentials = credentialsOf(this.#proxy)
    const authorization = credentials
      ? { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
      : {}
    const fail = (error: Error) => onConnection(error, undefined as unknown as Duplex)
    const client = this.#proxy.protocol === 'https:' ? https : http
    const connect = client.request({
      hostname: this.#proxy.hostname.replace(/^\[|\]$/g, ''),
      port: this.#proxy.port,
      method: 'CONNECT',
      path: target,
      headers: { Host: target, ...authorization },
      agent: false,
      timeout: maxConnectMs,
    })
    connect.on('timeout', () => connect.destroy(new Error('the proxy did not respond')))
    connect.on('error', fail)
    connect.on('connect', ({ statusCode }, socket, head) => {
      if (statusCode === 200 && head.length === 0) {
        // The type lacks the option that node:tls connects over.
        onConnection(null, super.createConnection({ ...options, socket } as https.RequestOptions) as Duplex)
        return
      }
      socket.destroy()
      fail(new Error(`the proxy returned ${statusCode} to CONNECT`))
    })
    connect.end()
  }
}
