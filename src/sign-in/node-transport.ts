import { createAgent } from '../../lib/agent.ts'
import { explainCertificate } from '../../lib/certificate.ts'
import { type NodeResponse, sendRequest } from '../../lib/request.ts'
import { codeOf } from '../http/error-code.ts'
import { maxResponseBytes, type Transport, TransportError } from './transport.ts'

/** Closes idle connections before Entra does, which can fail a request that is being sent. */
const connections = { keepAlive: true, timeout: 4000 }

/** A proxy on the way to Entra. */
export interface ProviderProxy {
  readonly url: string
  /** Hosts to reach without it, as NO_PROXY lists them; blank for none. */
  readonly except: string
}

/** Creates a transport whose https requests use the proxy, if there is one. Plain http stays on this machine. */
export function createNodeTransport(proxy: ProviderProxy | null = null): Transport {
  const proxyEnv = proxy ? { HTTPS_PROXY: proxy.url, NO_PROXY: proxy.except } : {}
  const byHttp = createAgent(new URL('http://localhost'), connections)
  const byHttps = createAgent(new URL('https://localhost'), connections, proxyEnv)
  return async (url, { method, headers, body }, timeoutMs) => {
    const outcome = await sendRequest(url, {
      method,
      headers,
      body: body?.toString(),
      agent: url.startsWith('https:') ? byHttps : byHttp,
      timeoutMs,
      maxBytes: maxResponseBytes,
    })
    if (outcome.kind === 'failure') throw errorOf(outcome)
    const { status, headers: received, text } = outcome
    return {
      status,
      contentType: received['content-type'] ?? '',
      text,
      retryAfter: received['retry-after'] ?? null,
    }
  }
}

function errorOf({ failure, cause }: Extract<NodeResponse, { readonly kind: 'failure' }>): TransportError {
  const certificate = failure === 'no-answer' ? explainCertificate(codeOf(cause) ?? '') : null
  if (!certificate) return new TransportError(failure, cause)
  const advice = `Entra or Graph was not asked: ${certificate.detail}. ${certificate.fix}.`
  return new TransportError('untrusted', cause, advice)
}
