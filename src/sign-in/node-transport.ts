import { Agent as HttpAgent, type IncomingMessage, request as requestByHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https'
import { maxAnswerBytes, parseRetryAfter, type Transport, UpstreamError } from './transport.ts'

/** An idle connection is dropped before the provider would do so under a request. */
const connections = { keepAlive: true, timeout: 4000 }
const byHttp = new HttpAgent(connections)
const byHttps = new HttpsAgent(connections)

/**
 * The way to the provider on Node: the same as by fetch, but a sign-in takes a sixth less processor time (docs/benchmarks.md
 * says how that is measured). It follows no redirects and repeats nothing.
 */
export const nodeTransport: Transport = (url, { method, headers, body }, timeoutMs) =>
  new Promise((resolve, reject) => {
    const fail = (failure: 'timeout' | 'too-large' | 'no-answer', cause?: unknown) => {
      reject(new UpstreamError(failure, cause))
      sent.destroy()
    }
    const text = body?.toString()
    const allHeaders = { ...headers, ...(text ? { 'content-length': String(Buffer.byteLength(text)) } : {}) }
    const https = url.startsWith('https:')
    const sent = (https ? requestByHttps : requestByHttp)(
      url,
      { method, headers: allHeaders, agent: https ? byHttps : byHttp },
      response => read(response),
    )
    const timer = setTimeout(() => fail('timeout'), Math.max(1, timeoutMs))
    let answered = false
    sent.once('close', () => {
      clearTimeout(timer)
      // Whatever ended it, as a change of protocol does, said nothing.
      if (!answered) fail('no-answer')
    })
    sent.once('error', error => fail('no-answer', error))
    sent.end(text)

    function read(response: IncomingMessage): void {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxAnswerBytes) fail('too-large')
        else chunks.push(chunk)
      })
      response.once('error', error => fail('no-answer', error))
      response.once('end', () => {
        answered = true
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString('utf8'),
          retryAfter: parseRetryAfter(response.headers['retry-after'] ?? null, Date.now()),
        })
      })
    }
  })
