import { Agent as HttpAgent, type IncomingMessage, request as requestByHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https'
import {
  maxResponseBytes,
  type ProviderRequest,
  type ProviderResponse,
  TransportError,
  type TransportFailure,
} from './transport.ts'

/** Idle connections close before the provider closes them under a request. */
const connections = { keepAlive: true, timeout: 4000 }
const byHttp = new HttpAgent(connections)
const byHttps = new HttpsAgent(connections)

/** Sends requests with node:http: a sign-in takes a sixth less processor time than with fetch (docs/benchmarks.md). */
export function nodeTransport(
  url: string,
  { method, headers, body }: ProviderRequest,
  timeoutMs: number,
): Promise<ProviderResponse> {
  return new Promise((resolve, reject) => {
    const text = body?.toString()
    const allHeaders = { ...headers, ...(text ? { 'content-length': String(Buffer.byteLength(text)) } : {}) }
    const https = url.startsWith('https:')
    const sent = (https ? requestByHttps : requestByHttp)(
      url,
      { method, headers: allHeaders, agent: https ? byHttps : byHttp },
      read,
    )
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
