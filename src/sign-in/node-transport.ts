import { createAgent } from '../../lib/connect.ts'
import { sendRequest } from '../../lib/request.ts'
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
    if (outcome.kind === 'failure') throw new TransportError(outcome.failure, outcome.cause)
    const { status, headers: received, text } = outcome
    return {
      status,
      contentType: received['content-type'] ?? '',
      text,
      retryAfter: received['retry-after'] ?? null,
    }
  }
}
