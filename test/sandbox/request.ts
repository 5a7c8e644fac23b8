import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'

/** A response of a server that `fetch` cannot ask: under a chosen host, or with a certificate of the sandbox. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
}

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** The authority to trust, for https. */
  readonly ca?: string
  /** The loopback port to ask, whatever host and port the URL names. */
  readonly port?: number
}

/** Sends a request to a URL, with the host of the URL. */
export async function request(url: string, { method, headers, body, ca, port }: Asked = {}): Promise<Reply> {
  const { protocol, host, hostname } = new URL(url)
  const place = port === undefined ? {} : { hostname: '127.0.0.1', port, servername: hostname }
  const options = { method, headers: { ...headers, host }, ...place }
  const sent = protocol === 'https:' ? httpsRequest(url, { ...options, ca }) : httpRequest(url, options)
  sent.end(body)
  const [response] = await once(sent, 'response')
  const bytes = await buffer(response)
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString('utf8') }
}
