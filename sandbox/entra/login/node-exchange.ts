import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { LoginCall } from './call.ts'

/** A Node request and response without a connection. */
export interface NodeExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Returns the objects that a library for Node needs for an exchange. The library builds URLs from the Host of the request,
 * so it gets the tenant's host instead of the client's.
 * @param body the body that the library reads
 */
export function nodeExchange(call: LoginCall, body: string): NodeExchange {
  const { method, path, query, headers, secure } = call
  const { host } = new URL(call.tenant.instance)
  // The library sets `Secure` on cookies if the socket is encrypted.
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
