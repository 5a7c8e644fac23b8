import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type Server, type Socket } from 'node:net'
import { cite, type Journal } from '../http/journal.ts'
import { ListenError, listen, loopback } from '../http/server.ts'
import type { DnsLedgerId } from './ledger.ts'
import { lookup } from './lookup.ts'
import { type Query, type Rcode, type Reply, readQuery, udpLimit, writeRcode, writeReply } from './wire.ts'
import type { ZoneView } from './zone-view.ts'

export type NameServer = { readonly port: number; close(): Promise<void> }

/** What a name server serves, and where it notes what it was asked. */
export type Serving = {
  readonly journal: Journal
  /** Which of a zone's name servers, from 0. */
  readonly instance: number
  /** Returns what it serves now. */
  view(): ZoneView
}

type Transport = 'udp' | 'tcp'

const longestMessage = 65_535
const lengthPrefixBytes = 2
const mostConnections = 64
const idleTimeoutMs = 10_000
/** Answers that a client does not fetch are not kept without end. */
const mostUnsentBytes = 1024 * 1024
/** A port that is free for TCP may be taken for UDP: so many are tried before giving up. */
const portAttempts = 5

const bare = (rcode: Rcode): Reply => ({
  rcode,
  authoritative: false,
  answers: [],
  authorities: [],
  additionals: [],
})

/** What is known of a question, in the zones that are served. */
export const decide = (view: ZoneView, query: Query, note: (id: DnsLedgerId) => void): Reply => {
  if (query.edns) note('dns.edns')
  if (query.edns && query.edns.version > 0) return bare('BADVERS')
  if (query.class !== 'IN' && query.class !== 'ANY') {
    note('dns.refused')
    return bare('REFUSED')
  }
  return lookup(view, query.name, query.type, note)
}

/** Answers one message, or undefined when it deserves none. */
const respond = (
  { journal, instance, view: viewNow }: Serving,
  message: Buffer,
  transport: Transport,
): Buffer | undefined => {
  const query = readQuery(message)
  if (query === undefined) return undefined
  if ('rcode' in query) return writeRcode(query)
  const entry = journal.open({
    service: 'dns',
    instance,
    method: query.type,
    path: query.name,
    query: transport,
    headers: {},
    tokenId: null,
  })
  const note = (id: DnsLedgerId) => cite(entry, id)
  const view = viewNow()
  if (view.late) note('dns.late')
  const limit = transport === 'udp' ? udpLimit(query) : longestMessage
  const write = (reply: Reply) => {
    entry.status = reply.rcode
    return writeReply(query, reply, limit)
  }
  try {
    const { packet, truncated } = write(decide(view, query, note))
    if (truncated) note('dns.truncated')
    return packet
  } catch {
    // A record that tests put may hold what has no wire form: an address that is none, a label too long.
    return write(bare('SERVFAIL')).packet
  }
}

const serveStream = (socket: Socket, answer: (message: Buffer) => Buffer | undefined): void => {
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
      // A stream on which nonsense arrives has lost its framing.
      if (reply === undefined || socket.writableLength > mostUnsentBytes) {
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
    // Stays: an error after the start must not end the process.
    socket.on('error', error => reject(new ListenError('dns', port, error)))
    socket.bind(port, loopback, resolve)
  })

const closeTcp = (server: Server, connections: ReadonlySet<Socket>): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve())
    for (const connection of connections) connection.destroy()
  })

const closeUdp = (socket: UdpSocket): Promise<void> => new Promise(resolve => socket.close(() => resolve()))

const start = async (serving: Serving, port: number): Promise<NameServer> => {
  const connections = new Set<Socket>()
  const tcp = createServer(socket => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    serveStream(socket, message => respond(serving, message, 'tcp'))
  })
  tcp.maxConnections = mostConnections
  const bound = await listen(tcp, 'dns', port)
  const udp = createSocket('udp4')
  udp.on('message', (message, { port: clientPort, address }) => {
    const reply = respond(serving, message, 'udp')
    // A client that is gone is no failure of ours.
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
 * Serves zones over UDP and TCP on one port of loopback, any free one when `port` is 0.
 * @throws ListenError
 */
export const startNameServer = async (serving: Serving, port: number): Promise<NameServer> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(serving, port)
    } catch (error) {
      if (port !== 0 || attempt === portAttempts) throw error
    }
  }
}
