import { createAgents, keptOpen, type ProxyEnv } from '../../lib/agent.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import { createTransport, type Transport } from '../sign-in/transport.ts'

/** Creates a transport whose https requests use the proxy, if there is one. Plain http stays on this machine. */
export function createNodeTransport(proxyEnv: ProxyEnv = {}): Transport {
  return createTransport(createNodeExchange({}, createAgents(keptOpen, proxyEnv)))
}
