import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Exchange } from '../../http/exchange.ts'

/** A request and a response as Node's server would make them, connected to nobody. */
export interface NodeExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Makes the objects that a library for Node wants of an exchange.
 * @param host the Host that the library makes addresses of
 * @param body what the library reads
 */
export function nodeExchange(exchange: Exchange, host: string, body: string): NodeExchange {
  const { method, path, query, headers, secure } = exchange
  // The library asks the socket whether the connection is encrypted, and marks cookies accordingly.
  const request = new IncomingMessage(Object.assign(new Socket(), { encrypted: secure }))
  const bytes = Buffer.from(body)
  const { 'transfer-encoding': _encoding, 'content-length': _length, ...kept } = headers
  request.method = method
  request.url = query === '' ? path : `${path}?${query}`
  request.headers = { ...kept, host, ...(bytes.length > 0 && { 'content-length': String(bytes.length) }) }
  if (bytes.length > 0) request.push(bytes)
  request.push(null)
  request.complete = true
  return { request, response: new ServerResponse(request) }
}
