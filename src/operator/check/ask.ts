import type { AgentOptions } from 'node:https'
import { checkServerIdentity } from 'node:tls'
import { createAgents, type ProxyEnv } from '../../../lib/agent.ts'
import { explainFailure, responseOf } from '../../../lib/exchange.ts'
import { createNodeExchange } from '../../../lib/node-exchange.ts'

type Finding = 'ok' | 'wrong' | 'not checked' | 'not refused' | 'by hand'

/** A line of the check: what was found, about what, and why or what to do. */
export type Line = readonly [finding: Finding, about: string, text: string]

export type Ask = ReturnType<typeof createAsk>
export type Answer = Awaited<ReturnType<Ask>>

const limits = { timeoutMs: 10_000, maxBytes: 1024 * 1024 }

/**
 * Returns how to send one request, a POST with a form. Without an answer, `status` is 0 and `none` says why.
 * @param proxyEnv names the proxy for https requests, if there is one
 */
export function createAsk(proxyEnv: ProxyEnv) {
  return async (url: string, headers: Readonly<Record<string, string>> = {}, form?: URLSearchParams) => {
    // In Unix milliseconds; 0 without TLS.
    let certificateEnd = 0
    const options: AgentOptions = {
      checkServerIdentity(host, certificate) {
        certificateEnd = Date.parse(certificate.valid_to)
        return checkServerIdentity(host, certificate)
      },
    }
    const type = form && { 'content-type': 'application/x-www-form-urlencoded' }
    const request = { method: form ? 'POST' : 'GET', url, headers: { ...headers, ...type } } as const
    const exchange = createNodeExchange({}, createAgents(options, proxyEnv))
    const outcome = await exchange({ ...request, ...limits, body: form?.toString() })
    return outcome.kind === 'response'
      ? { ...outcome, none: '', certificateEnd }
      : { ...responseOf(0, () => null, ''), none: explainFailure(outcome), certificateEnd }
  }
}
