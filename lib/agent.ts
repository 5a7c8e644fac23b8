import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { open, type Target } from './connect.ts'

/** What an agent reads of a request's options besides those of Node. */
export interface ConnectOptions extends Target {
  /** A connection to the origin that was begun before the request. The agent uses it if it has no open one. */
  readonly begun?: Promise<Socket> | undefined
}

type Callback = (error: Error | null, socket: Duplex) => void

/** Variables that name a proxy: `HTTPS_PROXY` and `NO_PROXY`, in either case. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>

/**
 * Creates the agent for the origin of a URL. It tries the addresses of a host one after the other, families in turn. With
 * `proxyEnv`, Node decides which https requests go through a proxy.
 */
export function createAgent(url: URL, options: AgentOptions, proxyEnv: ProxyEnv = {}): HttpAgent {
  if (url.protocol !== 'https:') return new PatientHttpAgent(options)
  const isProxied = Boolean(proxyEnv['HTTPS_PROXY'] || proxyEnv['https_proxy'])
  return isProxied ? new HttpsAgent({ ...options, proxyEnv }) : new PatientHttpsAgent(options)
}

class PatientHttpAgent extends HttpAgent {
  override createConnection(target: ConnectOptions, callback?: Callback): undefined {
    connect(target).then(
      socket => callback?.(null, socket),
      (error: Error) => fail(error, callback),
    )
  }
}

class PatientHttpsAgent extends HttpsAgent {
  override createConnection(target: ConnectOptions, callback?: Callback): undefined {
    connect(target).then(
      // Node starts TLS on a socket that it is given.
      socket => callback?.(null, super.createConnection({ ...target, socket } as object) as Duplex),
      (error: Error) => fail(error, callback),
    )
  }
}

const connect = (target: ConnectOptions) => target.begun ?? open(target)

/** Node's types want a socket even for a failure. */
function fail(error: Error, callback?: Callback): void {
  ;(callback as ((error: Error) => void) | undefined)?.(error)
}
