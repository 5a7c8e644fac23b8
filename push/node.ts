import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Cidr } from '../action/address/range.ts'
import { systemClock as clock } from '../action/deadline.ts'
import { parseIpv4, parseIpv6 } from '../action/ip-address.ts'
import { plain } from './answers.ts'
import { exchange } from './exchange.ts'
import { createHandler } from './handler.ts'
import { createLimiter } from './limiter.ts'
import type { Caller } from './protocol.ts'
import { createQueue } from './queue.ts'
import { withSecretFiles } from './secret-files.ts'
import { readSettings } from './settings.ts'
import { table } from './settings-table.ts'

/** Time for open requests after SIGTERM, in milliseconds. */
const drainMs = 10_000
/** Limits of a request: milliseconds until it is complete, and bytes of its form. */
const requestTimeout = 10_000
const maxBodyBytes = 8192
/** Most entries of X-Forwarded-For to read, from the right. No real chain of proxies is longer. */
const maxHops = 20

function log(entry: object): void {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`)
}

/** Serves until SIGTERM or SIGINT, then drains. Exits with 2 if a setting is wrong, and with 1 if it cannot listen. */
export async function serve(): Promise<void> {
  const { env, problems } = withSecretFiles(process.env)
  const reading = readSettings(env)
  const port = Number(env['PORT'] || table.PORT.default)
  const wrong = [...problems, ...('problems' in reading ? reading.problems : [])]
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    wrong.push('PORT is not a number from 0 to 65535.')
  if ('problems' in reading || wrong.length > 0) {
    for (const message of wrong) log({ level: 'error', event: 'settings', message })
    process.exitCode = 2
    return
  }
  const handle = createHandler(reading.value, {
    exchange,
    clock,
    limiter: createLimiter(clock.now),
    queue: createQueue(),
    log,
    // The process ends once nothing is under way.
    keepAlive: () => {},
  })
  const { trustedProxies } = reading.value
  const server = createServer({ requestTimeout }, async (incoming, outgoing) => {
    try {
      await send(await handle(await requestOf(incoming), callerOf(incoming, trustedProxies)), outgoing)
    } catch {
      await send(plain(400, 'The request cannot be read.\n'), outgoing)
    }
  })
  // inadyn sends NUL bytes after its request, which must not cut off the answer.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code !== 'HPE_CLOSED_CONNECTION' && socket.writable)
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  const host = env['HOST'] || table.HOST.default
  server.on('error', (error: NodeJS.ErrnoException) => {
    log({ level: 'error', event: 'start', message: `Cannot listen on ${host} port ${port}: ${error.code}` })
    process.exitCode = 1
  })
  server.listen(port, host, () => {
    const address = server.address()
    const bound = typeof address === 'object' && address ? address.port : port
    log({ level: 'info', event: 'start', message: `Listening on http://${host}:${bound}` })
  })
  function stop(): void {
    log({ level: 'info', event: 'stop', message: 'Finishing open requests' })
    // Ends requests that hang. `unref`, because the timer must not keep an idle process running.
    setTimeout(() => process.exit(0), drainMs).unref()
    server.close()
    server.closeIdleConnections()
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

/** The host is of no use, and HTTP/1.0 has none. The target can start with two slashes, so nothing resolves it. */
async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming
  const length = headers['content-length']
  const hasForm = method === 'POST' && length !== undefined && Number(length) <= maxBodyBytes
  return new Request(url.startsWith('/') ? `http://endpoint${url}` : url, {
    method: method === 'POST' ? method : method === 'GET' ? method : 'HEAD',
    headers: {
      authorization: headers.authorization ?? '',
      'content-type': headers['content-type'] ?? '',
      ...(length !== undefined && { 'content-length': length }),
    },
    body: hasForm ? await text(incoming) : null,
  })
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(await response.text())
}

/**
 * Returns who sent a request: the peer or, behind trusted proxies, the rightmost untrusted address in X-Forwarded-For,
 * since a client can write everything to its left.
 */
function callerOf({ socket, headers }: IncomingMessage, trusted: readonly Cidr[]): Caller {
  const isTrusted = (address: string) => trusted.some(range => range.contains(address))
  const peer = parseHop(socket.remoteAddress ?? '')
  if (peer === null || !isTrusted(peer)) return { address: peer, secure: false }
  const hops = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .slice(-maxHops)
    .reverse()
    .map(parseHop)
  const address = hops.find(hop => hop === null || !isTrusted(hop)) ?? null
  const protocol = String(headers['x-forwarded-proto'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  return { address, secure: protocol === 'https' }
}

/** Parses an address as a socket or a proxy writes it: IPv4 can be mapped, and a port can follow. */
function parseHop(hop: string): string | null {
  const [, bracketed, bare] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop.trim()) ?? []
  const address = (bracketed ?? bare ?? hop.trim()).replace(/^::ffff:(?=[\d.]+$)/i, '')
  return parseIpv4(address) ?? parseIpv6(address)
}
