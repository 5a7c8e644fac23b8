import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { SecureContext } from 'node:tls'

/** The only address that servers listen on. */
export const loopback = '127.0.0.1'

const maxHeaderBytes = 16 * 1024
const maxBodyBytes = 1024 * 1024
/** The limit for uploads of Workers. The service allows 10 MiB, compressed. */
const maxUploadBytes = 16 * 1024 * 1024
/** Whether a Content-Type is that of an upload: a form with files, or a script. */
export const isUpload = (contentType = ''): boolean =>
  /^(multipart\/form-data|application\/javascript)\b/i.test(contentType)
/** An oversized body is read and discarded up to this limit, so that the client gets the refusal. */
const maxDiscardedBytes = 64 * 1024 * 1024
const requestTimeoutMs = 30_000
const handshakeTimeoutMs = 10_000
const maxConnections = 512

/** Starts a server on a free port of loopback, and returns the port. @throws Error of Node, such as EMFILE */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    // Never removed, because a later error without a listener would end the process.
    server.on('error', reject)
    server.listen({ host: loopback, port: 0 }, resolve)
  })
  return (server.address() as AddressInfo).port
}

/** A running server. `url` has no trailing slash. */
export interface HttpServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** The certificates of a TLS server. */
interface ServerCertificates {
  /** For clients without SNI. As PEM. */
  readonly fallback: { readonly key: string; readonly cert: string }
  contextFor(host: string): SecureContext
}

/** No test takes this long. A client on a busy machine would otherwise send on a connection that is being closed. */
const keepAliveMs = 600_000
const bounds = {
  maxHeaderSize: maxHeaderBytes,
  requestTimeout: requestTimeoutMs,
  keepAliveTimeout: keepAliveMs,
}

const makeServer = (certificates: ServerCertificates | undefined) =>
  certificates === undefined
    ? createServer(bounds)
    : createSecureServer({
        ...bounds,
        ...certificates.fallback,
        handshakeTimeout: handshakeTimeoutMs,
        SNICallback: (host, done) => done(null, certificates.contextFor(host)),
      })

/**
 * Serves HTTP/1 with limits on every size and time, over TLS if it has certificates. Closes connections that do not
 * speak HTTP.
 */
export async function serveHttp(
  onRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  certificates?: ServerCertificates,
): Promise<HttpServer> {
  const server = makeServer(certificates)
  server.maxConnections = maxConnections
  server.on('request', (request, response) => {
    onRequest(request, response).catch((error: Error) => {
      // A client that disconnected while sending needs no response. Any other error is a bug, so it is shown.
      if (request.errored !== null || response.headersSent) response.destroy()
      else
        response.writeHead(500, { 'content-type': 'text/plain' }).end(`The sandbox failed: ${error.stack}\n`)
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // inadyn 2.10 sends NUL bytes after a complete HTTP/1.0 request, which must still be answered.
    if (error.code !== 'HPE_CLOSED_CONNECTION') socket.destroy()
  })
  const bound = await listen(server)
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `${certificates ? 'https' : 'http'}://${loopback}:${bound}`, port: bound, close }
}

/** Splits a request target into the path as sent and the query. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** Returns the headers of a request, with repeated ones joined. */
export const flatHeaders = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

/** The body of a request. `oversized` has more than 1 MiB, or more than 16 MiB in an upload, and is discarded. */
export type Body =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'text'
      readonly text: string
      /** For content that is not text, such as modules in a form. */
      readonly bytes: Buffer
    }
  | { readonly kind: 'oversized' }

/**
 * Reads a body. If it exceeds 1 MiB, or 16 MiB for an upload, its content is discarded.
 * @throws Error if the client disconnects or sends more than 64 MiB
 */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const max = isUpload(request.headers['content-type']) ? maxUploadBytes : maxBodyBytes
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxDiscardedBytes) throw new Error(`A request body exceeded ${maxDiscardedBytes} bytes.`)
    if (bytes <= max) chunks.push(chunk)
  }
  if (bytes > max) return { kind: 'oversized' }
  if (bytes === 0) return { kind: 'none' }
  const content = Buffer.concat(chunks)
  return { kind: 'text', text: content.toString('utf8'), bytes: content }
}
