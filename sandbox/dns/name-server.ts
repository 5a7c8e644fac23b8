import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type Server, type Socket } from 'node:net'
import type { Journal } from '../http/journal.ts'
import { ListenError, listen, loopback } from '../http/server.ts'
import { lookup } from './lookup.ts'
import { emptyReply, type Query, type Reply, readQuery, udpLimit, writeRcode, writeReply } from './wire.ts'
import type { ZoneView } from './zone-view.ts'

/** A running name server. Its port serves UDP and TCP. */
interface NameServer {
  readonly port: number
  close(): Promise<void>
}

/** The data and journal of a name server. */
interface Serving {
  readonly journal: Journal
  /** The number of the name server, from 0. */
  readonly instance: number
  /** Returns the current view of the zones. */
  view(): ZoneView
}

type Transport = 'udp' | 'tcp'

const maxMessageBytes = 65_535
const lengthPrefixBytes = 2
const maxConnections = 64
const idleTimeoutMs = 10_000
/** The maximum of replies buffered for a client that does not read them. */
const maxUnsentBytes = 1024 * 1024
/** Maximum ports to try, because a port that is free for TCP may be in use for UDP. */
const portAttempts = 5

/** Returns the reply to a query. */
export function replyTo(view: ZoneView, query: Query): Reply {
  // documented: The response to a query with OPT has OPT too, with the DO flag of the query. A query with an EDNS version above
  // 0 gets BADVERS. [RFC 6891; RFC 3225 section 3 for DO]
  if (query.edns && query.edns.version > 0) return emptyReply('BADVERS')
  if (query.class !== 'IN' && query.class !== 'ANY') {
    return emptyReply('REFUSED')
  }
  return lookup(view, query.name, query.type)
}

/** Returns the reply to a message, or null if it must be ignored. */
function respond(
  { journal, instance, view: viewNow }: Serving,
  message: Buffer,
  transport: Transport,
): Buffer | null {
  const query = readQuery(message)
  if (query.kind === 'ignored') return null
  if (query.kind === 'unanswerable') return writeRcode(query)
  const entry = journal.open({
    service: 'dns',
    instance,
    method: query.type,
    path: query.name,
    query: transport,
    headers: {},
    tokenId: null,
  })
  const view = viewNow()
  const limit = transport === 'udp' ? udpLimit(query) : maxMessageBytes
  const write = (reply: Reply) => writeReply(query, reply, limit)
  try {
    const reply = replyTo(view, query)
    const { packet } = write(reply)
    entry.status = reply.rcode
    // documented: An answer too long for UDP is sent empty with the TC flag. [RFC 2181 section 9]
    return packet
  } catch {
    // PUT /state can add records that cannot be encoded, such as an invalid address.
    entry.status = 'SERVFAIL'
    return write(emptyReply('SERVFAIL')).packet
  }
}

function serveStream(socket: Socket, answer: (message: Buffer) => Buffer | null): void {
  let received = Buffer.alloc(0)
  socket.setTimeout(idleTimeoutMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    while (received.length >= lengthPrefixBytes) {
      const end = lengthPrefixBytes + received.readUInt16BE(0)
      if (received.length < end) break
      const reply = answer(received.subarray(lengthPrefixBytes, end))
      received = received.subarray(end)
      // Disconnects a client that sends anything but queries or does not read its replies.
      if (reply === null || socket.writableLength > maxUnsentBytes) {
        socket.destroy()
        break
      }
      const prefix = Buffer.alloc(lengthPrefixBytes)
      prefix.writeUInt16BE(reply.length)
      socket.write(Buffer.concat([prefix, reply]))
    }
  })
}

const bindUdp = (socket: UdpSocket, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    // Never removed, because a later error without a listener would end the process.
    socket.on('error', error => reject(new ListenError('dns', port, error)))
    socket.bind(port, loopback, resolve)
  })

const closeTcp = (server: Server, connections: ReadonlySet<Socket>): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve())
    for (const connection of connections) connection.destroy()
  })

const closeUdp = (socket: UdpSocket): Promise<void> => new Promise(resolve => socket.close(() => resolve()))

async function start(serving: Serving, port: number): Promise<NameServer> {
  const connections = new Set<Socket>()
  const tcp = createServer(socket => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    serveStream(socket, message => respond(serving, message, 'tcp'))
  })
  tcp.maxConnections = maxConnections
  const bound = await listen(tcp, 'dns', port)
  const udp = createSocket('udp4')
  udp.on('message', (message, { port: clientPort, address }) => {
    const reply = respond(serving, message, 'udp')
    // Errors are ignored because the client may be gone.
    if (reply) udp.send(reply, clientPort, address, () => undefined)
  })
  try {
    await bindUdp(udp, bound)
  } catch (error) {
    await Promise.all([closeTcp(tcp, connections), closeUdp(udp)])
    throw error
  }
  return {
    port: bound,
    close: async () => {
      await Promise.all([closeTcp(tcp, connections), closeUdp(udp)])
    },
  }
}

/**
 * Serves zones over UDP and TCP on one port of loopback. Port 0 means any free port.
 * @throws ListenError
 */
export async function startNameServer(serving: Serving, port: number): Promise<NameServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(serving, port)
    } catch (error) {
      if (port !== 0 || attempt === portAttempts) throw error
    }
  }
}
