import type { AgentOptions } from 'node:https'
import { checkServerIdentity } from 'node:tls'
import { createAgents, type ProxyEnv } from '../../../lib/agent.ts'
import { explainFailure } from '../../../lib/exchange.ts'
import { createNodeExchange } from '../../../lib/node-exchange.ts'
import { codeOf } from '../../http/error-code.ts'

/** A line of the check: what was found, about what, and why or what to do. */
export type Line = readonly [
  finding: 'ok' | 'wrong' | 'not checked' | 'not refused' | 'by hand',
  about: string,
  text: string,
]

export type Ask = ReturnType<typeof createAsk>
export type Answer = Awaited<ReturnType<Ask>>

const limits = { timeoutMs: 10_000, maxBytes: 1024 * 1024 }

/**
 * Returns how to send one request, a POST with a form, without following redirects. Without an answer, `status` is 0 and
 * `failure` the code of the error.
 * @param proxyEnv names the proxy for https requests, if there is one
 */
export function createAsk(proxyEnv: ProxyEnv) {
  return async (url: string, headers: Readonly<Record<string, string>> = {}, form?: URLSearchParams) => {
    let certificateEnd = 0
    const options: AgentOptions = {
      checkServerIdentity(host, certificate) {
        certificateEnd = Date.parse(certificate.valid_to)
        return checkServerIdentity(host, certificate)
      },
    }
    const request = form
      ? {
          method: 'POST' as const,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: String(form),
        }
      : { method: 'GET' as const, headers }
    const outcome = await createNodeExchange(
      {},
      createAgents(options, proxyEnv),
    )({ url, ...request, ...limits })
    const isAnswer = outcome.kind === 'response'
    const failure = isAnswer ? '' : (codeOf(outcome.error) ?? outcome.cause)
    return {
      status: isAnswer ? outcome.status : 0,
      header: (name: string) => (isAnswer ? (outcome.header(name) ?? '') : ''),
      text: isAnswer ? outcome.body : '',
      failure,
      /** What the failure means, in a sentence without its full stop. */
      reason: isAnswer ? '' : outcome.fix === undefined ? failure : explainFailure(outcome),
      /** In Unix milliseconds; 0 without TLS. */
      certificateEnd,
    }
  }
}
