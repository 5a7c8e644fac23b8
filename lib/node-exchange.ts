import type { Agent } from 'node:http'
import { createAgents, keptOpen } from './agent.ts'
import type { HttpOutcome, HttpRequest } from './exchange.ts'
import { sendRequest } from './request.ts'

/**
 * Creates what sends requests on Node, each with these headers, unless it has its own, and by a tunnel if it is given a proxy. It
 * never throws.
 */
export function createNodeExchange(
  own: HttpRequest['headers'] = {},
  agentFor: (url: string) => Agent = createAgents(keptOpen),
): (request: HttpRequest, proxy?: URL) => Promise<HttpOutcome> {
  return (request, proxy) =>
    sendRequest({ ...request, headers: { ...own, ...request.headers } }, agentFor(request.url), proxy)
}
