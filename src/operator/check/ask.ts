import { checkServerIdentity } from 'node:tls'
import { createAgents, type ProxyEnv } from '../../../lib/agent.ts'
import { explainFailure, type HttpRequest, responseOf } from '../../../lib/exchange.ts'
import { createNodeExchange } from '../../../lib/node-exchange.ts'

/** What was found, and why or what to do. */
export type Found = readonly [finding: 'ok' | 'wrong' | 'not checked' | 'by hand', text: string]

/** Prints a line of the check. */
export type Say = (about: string, ...found: Found) => void

export type Ask = ReturnType<typeof createAsk>
export type Answer = Awaited<ReturnType<Ask>>

const limits = { timeoutMs: 10_000, maxBytes: 1024 * 1024 }
const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

/**
 * Returns how to send one request, a POST with a form. Without an answer, `status` is 0 and `none` says why.
 * @param proxyEnv names the proxy for https requests, if there is one
 * @param base what each URL starts with
 * @param own headers of each request
 */
export function createAsk(proxyEnv: ProxyEnv, base = '', own: HttpRequest['headers'] = {}) {
  // In Unix milliseconds; 0 without TLS.
  let certificateEnd = 0
  const noteEnd: typeof checkServerIdentity = (host, certificate) => {
    certificateEnd = Date.parse(certificate.valid_to)
    return checkServerIdentity(host, certificate)
  }
  const exchange = createNodeExchange(own, createAgents({ checkServerIdentity: noteEnd }, proxyEnv))
  return async (path: string, headers: HttpRequest['headers'] = {}, form?: URLSearchParams) => {
    const url = base + path
    const request = form
      ? ({ method: 'POST', url, headers: formHeaders, body: form.toString() } as const)
      : ({ method: 'GET', url, headers } as const)
    const outcome = await exchange({ ...request, ...limits })
    if (outcome.kind === 'response') return { ...outcome, none: '', certificateEnd }
    const none = `${new URL(url).host}: ${explainFailure(outcome)}.`
    return { ...responseOf(0, () => null, ''), none, certificateEnd }
  }
}
