import { createServer, IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'

/** Everything listens here and nowhere else. */
const loopback = '127.0.0.1'
const mostHeaderBytes = 16 * 1024
const mostBodyBytes = 1024 * 1024
/** An oversized body is read to its end, so that the client gets to see the refusal, but not beyond this. */
const mostDiscardedBytes = 16 * 1024 * 1024
const requestTimeoutMs = 30_000

export interface TlsFiles {
  /** PEM. */
  readonly key: string
  readonly cert: string
}

export interface Listening {
  readonly port: number
  close(): Promise<void>
}

export type OnRequest = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Serves HTTP/1 on loopback, over TLS when files are given, on any free port when `port` is 0. What is not HTTP is
 * dropped without a word. Rejects with Node's error (`EADDRINUSE`, `EACCES`) when the port cannot be had.
 */
export const serve = async (
  port: number,
  tls: TlsFiles | undefined,
  onRequest: OnRequest,
): Promise<Listening> => {
  const options = { maxHeaderSize: mostHeaderBytes, requestTimeout: requestTimeoutMs }
  const server = tls ? createTlsServer({ ...options, ...tls }) : createServer(options)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    onRequest(request, response).catch((error: Error) => {
      // A client that left while its body was read needs no answer; anything else is a mistake of ours, shown as one.
      if (request.errored !== null || response.headersSent) {
        response.destroy()
        return
      }
      for (const name of response.getHeaderNames()) response.removeHeader(name)
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`The stand-in failed: ${error.stack}\n`)
    })
  })
  server.on('clientError', (_, socket) => socket.destroy())
  server.on('tlsClientError', (_, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: loopback, port }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error(`No port was bound on ${loopback}.`)
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { port: address.port, close }
}

/** Reads a body as UTF-8 to its end; undefined when it is over 1 MiB. Rejects when the client leaves. */
export const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostDiscardedBytes) throw new Error(`A request body exceeded ${mostDiscardedBytes} bytes.`)
    if (bytes <= mostBodyBytes) chunks.push(chunk)
  }
  return bytes > mostBodyBytes ? undefined : Buffer.concat(chunks).toString('utf8')
}

/**
 * A request like one whose body has been read already, for a library that wants to read it.
 * @param changes path with query, body and Host it is to have; the rest stays
 */
export const replay = (
  request: IncomingMessage,
  changes: { readonly url: string; readonly body: string; readonly host: string },
): IncomingMessage => {
  const copy = new IncomingMessage(request.socket)
  const body = Buffer.from(changes.body)
  copy.method = request.method
  copy.url = changes.url
  copy.httpVersion = request.httpVersion
  copy.httpVersionMajor = request.httpVersionMajor
  copy.httpVersionMinor = request.httpVersionMinor
  const { 'transfer-encoding': _encoding, 'content-length': _length, ...headers } = request.headers
  copy.headers = {
    ...headers,
    host: changes.host,
    ...(body.length > 0 ? { 'content-length': String(body.length) } : {}),
  }
  if (body.length > 0) copy.push(body)
  copy.push(null)
  copy.complete = true
  return copy
}

/** Header fields with names in lower case, several values joined by commas. */
export const flatHeaders = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
