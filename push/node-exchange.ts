import { createAgents, keptOpen } from '../lib/agent.ts'
import { createNodeExchange } from '../lib/node-exchange.ts'

/** Sends the requests of Node, through HTTPS_PROXY if it is set. */
export const exchange = createNodeExchange(
  { 'user-agent': 'homeport-push' },
  createAgents(keptOpen, process.env),
)
