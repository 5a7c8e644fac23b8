import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Server } from 'node:net'
import type { SecureContext } from 'node:tls'

/** Everything listens here and nowhere else. */
export const loopback = '127.0.0.1'

const mostHeaderBytes = 16 * 1024
const mostBodyBytes = 1024 * 1024
/** What carries a Worker's code; the service takes 10 MiB of it, compressed. */
const mostUploadBytes = 16 * 1024 * 1024
const uploadType = /^(multipart\/form-data|application\/javascript)\b/i
/** An oversized body is read to its end, so that the client gets to see the refusal, but not beyond this. */
const mostDiscardedBytes = 64 * 1024 * 1024
const requestTimeoutMs = 30_000
const handshakeTimeoutMs = 10_000
const mostConnections = 512

/** A service could not take its port. The cause is Node's error, with `EADDRINUSE` or `EACCES` as its code. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly service: string
  readonly port: number

  constructor(service: string, port: number, cause: unknown) {
    super(`Could not listen on ${loopback}:${port} for ${service}.`, { cause })
    this.service = service
    this.port = port
  }
}

/** Starts a server on loopback, on any free port when `port` is 0. Returns the port. @throws ListenError */
export async function listen(server: Server, service: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    // Stays: an error after the start (no descriptor left for a connection) must not end the process.
    server.on('error', error => reject(new ListenError(service, port, error)))
    server.listen({ host: loopback, port }, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new ListenError(service, port, address)
  return address.port
}

/** A running server; `url` has no slash at its end. */
export interface HttpServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** Who shows clients that a server is the host they asked for. */
export interface Identity {
  /** For a client that names no host. PEM. */
  readonly fallback: { readonly key: string; readonly cert: string }
  contextFor(host: string): SecureContext
}

const bounds = { maxHeaderSize: mostHeaderBytes, requestTimeout: requestTimeoutMs }

const makeServer = (identity: Identity | undefined) =>
  identity === undefined
    ? createServer(bounds)
    : createSecureServer({
        ...bounds,
        ...identity.fallback,
        handshakeTimeout: handshakeTimeoutMs,
        SNICallback: (host, done) => done(null, identity.contextFor(host)),
      })

/**
 * Serves HTTP/1 with every size and time bounded, over TLS when it has an identity. What is not HTTP is
 * dropped without a word.
 * @throws ListenError
 */
export async function serveHttp(
  service: string,
  port: number,
  onRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  identity?: Identity,
): Promise<HttpServer> {
  const server = makeServer(identity)
  server.maxConnections = mostConnections
  server.on('request', (request, response) => {
    onRequest(request, response).catch((error: Error) => {
      // A client that left while its body was read needs no answer; anything else is a mistake of ours, shown as one.
      if (request.errored !== null || response.headersSent) response.destroy()
      else
        response.writeHead(500, { 'content-type': 'text/plain' }).end(`The sandbox failed: ${error.stack}\n`)
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // inadyn 2.10 sends NUL bytes behind a complete HTTP/1.0 request: the answer to that request is still owed.
    if (error.code !== 'HPE_CLOSED_CONNECTION') socket.destroy()
  })
  const bound = await listen(server, service, port)
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `${identity ? 'https' : 'http'}://${loopback}:${bound}`, port: bound, close }
}

/** The parts of a request target: the path as sent, and what follows the first question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

export const flatHeaders = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

export type Body =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'text'
      readonly text: string
      /** For what is no text: a module in a form. */
      readonly bytes: Buffer
    }
  | { readonly kind: 'oversized' }

/**
 * Reads a body to its end; beyond 1 MiB, or 16 MiB of code, its content is dropped.
 * @throws Error when the client leaves or sends 64 MiB
 */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const most = uploadType.test(request.headers['content-type'] ?? '') ? mostUploadBytes : mostBodyBytes
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostDiscardedBytes) throw new Error(`A request body exceeded ${mostDiscardedBytes} bytes.`)
    if (bytes <= most) chunks.push(chunk)
  }
  if (bytes > most) return { kind: 'oversized' }
  if (bytes === 0) return { kind: 'none' }
  const content = Buffer.concat(chunks)
  return { kind: 'text', text: content.toString('utf8'), bytes: content }
}
