import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { SecureContext } from 'node:tls'

/** The only address that servers listen on. */
export const loopback = '127.0.0.1'

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
const options = { keepAliveTimeout: keepAliveMs }

const makeServer = (certificates: ServerCertificates | undefined) =>
  certificates === undefined
    ? createServer(options)
    : createSecureServer({
        ...options,
        ...certificates.fallback,
        SNICallback: (host, done) => done(null, certificates.contextFor(host)),
      })

/**
 * Serves HTTP/1, over TLS if it has certificates. Closes connections that do not speak HTTP.
 */
export async function serveHttp(
  onRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  certificates?: ServerCertificates,
): Promise<HttpServer> {
  const server = makeServer(certificates)
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

/** Reads a body, which is empty if there is none. @throws Error if the client disconnects */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
