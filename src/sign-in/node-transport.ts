import { Agent as HttpAgent, type IncomingMessage, request as requestByHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https'
import {
  maxResponseBytes,
  type ProviderRequest,
  type ProviderResponse,
  type Transport,
  TransportError,
  type TransportFailure,
} from './transport.ts'

/** Closes idle connections before the provider does, which can fail a request that is being sent. */
const connections = { keepAlive: true, timeout: 4000 }

/** A proxy on the way to the provider. */
export interface ProviderProxy {
  readonly url: string
  /** Hosts to reach without it, as NO_PROXY lists them; blank for none. */
  readonly except: string
}

/** Creates a transport whose https requests use the proxy, if there is one. Plain http stays on this machine. */
export function createNodeTransport(proxy: ProviderProxy | null = null): Transport {
  const byHttp = new HttpAgent(connections)
  const proxyEnv = proxy ? { HTTPS_PROXY: proxy.url, NO_PROXY: proxy.except } : undefined
  const byHttps = new HttpsAgent({ ...connections, ...(proxyEnv ? { proxyEnv } : {}) })
  return (url, request, timeoutMs) =>
    url.startsWith('https:')
      ? send(requestByHttps, byHttps, url, request, timeoutMs)
      : send(requestByHttp, byHttp, url, request, timeoutMs)
}

/** Sends requests with node:http: a sign-in takes a sixth less processor time than with fetch (docs/development/benchmarks.md). */
function send(
  requestBy: typeof requestByHttp,
  agent: HttpAgent,
  url: string,
  { method, headers, body }: ProviderRequest,
  timeoutMs: number,
): Promise<ProviderResponse> {
  return new Promise((resolve, reject) => {
    const text = body?.toString()
    const allHeaders = { ...headers, ...(text ? { 'content-length': String(Buffer.byteLength(text)) } : {}) }
    const sent = requestBy(url, { method, headers: allHeaders, agent }, read)
    const timer = setTimeout(() => fail('timeout'), Math.max(1, timeoutMs))
    let answered = false
    sent.once('close', () => {
      clearTimeout(timer)
      // A connection can also end without a response or an error, such as by a protocol upgrade.
      if (!answered) fail('no-answer')
    })
    sent.once('error', error => fail('no-answer', error))
    sent.end(text)

    function fail(failure: TransportFailure, cause?: unknown): void {
      reject(new TransportError(failure, cause))
      sent.destroy()
    }

    function read(response: IncomingMessage): void {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxResponseBytes) fail('too-large')
        else chunks.push(chunk)
      })
      response.once('error', error => fail('no-answer', error))
      response.once('end', () => {
        answered = true
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString('utf8'),
          retryAfter: response.headers['retry-after'] ?? null,
        })
      })
    }
  })
}
