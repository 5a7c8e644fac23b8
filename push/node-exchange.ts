import type { Agent } from 'node:http'
import { type Exchange, outcomeOf } from '../action/exchange.ts'
import { createAgent } from '../lib/agent.ts'
import { isOffline } from '../lib/connect.ts'
import { sendRequest } from '../lib/request.ts'

/** Closes idle connections before a server does, which can fail a request that is being sent. */
const connections = { keepAlive: true, timeout: 4000 }

const agents = new Map<string, Agent>()

/** Sends one request on Node, through HTTPS_PROXY if it is set. Never throws, and follows no redirect with the token. */
export const exchange: Exchange = async request => {
  const { method, url, headers, body, timeoutMs, maxBytes } = request
  const { origin } = new URL(url)
  const agent = agents.get(origin) ?? createAgent(new URL(url), connections, process.env)
  agents.set(origin, agent)
  const sent = { 'user-agent': 'homeport-push', ...headers }
  return outcomeOf(
    request,
    await sendRequest(url, { method, headers: sent, body, agent, timeoutMs, maxBytes }),
    isOffline,
  )
}
