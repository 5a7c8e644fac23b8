import { createAgents, keptOpen } from '../../lib/agent.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import { createTransport, type Transport } from '../sign-in/transport.ts'

/** A proxy on the way to Entra. */
export interface ProviderProxy {
  readonly url: string
  /** Hosts to reach without it, as NO_PROXY lists them; blank for none. */
  readonly except: string
}

/** Creates a transport whose https requests use the proxy, if there is one. Plain http stays on this machine. */
export function createNodeTransport(proxy: ProviderProxy | null = null): Transport {
  const proxyEnv = proxy ? { HTTPS_PROXY: proxy.url, NO_PROXY: proxy.except } : {}
  return createTransport(createNodeExchange({}, createAgents(keptOpen, proxyEnv)))
}
