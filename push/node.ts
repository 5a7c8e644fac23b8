import { createServer, type IncomingMessage } from 'node:http'
import { systemClock as clock } from '../action/deadline.ts'
import type { Cidr } from '../lib/ip-address.ts'
import { runServer } from '../lib/server.ts'
import { clientAddress, isTrustedPeer } from '../lib/trusted-proxies.ts'
import { plain } from './answers.ts'
import { createHandler, type Limits } from './handler.ts'
import { exchange } from './node-exchange.ts'
import type { Caller } from './protocol.ts'
import { readEnvironment } from './secret-files.ts'

/** Limits of the server in milliseconds, besides those of a ping. */
interface ServerLimits {
  /** For open requests after SIGTERM. */
  readonly drainMs: number
  /** Until a request is complete, and how often that is looked at. */
  readonly requestMs: number
  readonly checkMs: number
  readonly ping?: Limits
}

const usualLimits: ServerLimits = { drainMs: 10_000, requestMs: 10_000, checkMs: 1000 }

function log(entry: object): void {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`)
}

/** Serves until SIGTERM or SIGINT, then drains. Exits with 2 if a setting is wrong, and with 1 if it cannot listen. */
export async function serve(limits: ServerLimits = usualLimits): Promise<void> {
  const warn = (message: string) => log({ level: 'warning', event: 'settings', message })
  const reading = readEnvironment(process.env, warn)
  if ('problems' in reading) {
    for (const message of reading.problems) log({ level: 'error', event: 'settings', message })
    process.exitCode = 2
    return
  }
  const { trustedProxies, host, port } = reading.value
  const handle = createHandler(reading.value, { exchange, clock, log, limits: limits.ping })
  async function respond(incoming: IncomingMessage): Promise<Response> {
    const request = requestOf(incoming)
    return handle(request, callerOf(incoming.socket.remoteAddress, request.headers, trustedProxies))
  }
  const options = { requestTimeout: limits.requestMs, connectionsCheckingInterval: limits.checkMs }
  const server = createServer(options, async (incoming, outgoing) => {
    const response = await respond(incoming).catch(() => plain(400, 'The request cannot be read.\n'))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(await response.text())
  })
  // A client may end its side of the connection and still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  runServer(server, { host, port, drainMs: limits.drainMs, log })
}

/** Ignores the host, which HTTP/1.0 lacks. The target can start with two slashes, so nothing resolves it. */
function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/' } = incoming
  // Only Set-Cookie, which no request has, is a list.
  const headers = incoming.headers as Record<string, string>
  const hasBody = Number(headers['content-length']) > 0 || 'transfer-encoding' in headers
  const body = method === 'POST' && hasBody ? incoming : null
  const target = url.startsWith('/') ? `http://endpoint${url}` : url
  return new Request(target, { method, headers, body, duplex: 'half' })
}

/** Returns who sent a request. A proxy's address is never published, even if no other is known. */
function callerOf(remote: string | undefined, headers: Headers, trusted: readonly Cidr[]): Caller {
  const client = clientAddress(remote, headers.get('x-forwarded-for'), trusted)
  const scheme = (headers.get('x-forwarded-proto') ?? '').split(',').at(-1)?.trim().toLowerCase()
  return {
    address: isTrustedPeer(client ?? undefined, trusted) ? null : client,
    secure: isTrustedPeer(remote, trusted) && scheme === 'https',
  }
}
