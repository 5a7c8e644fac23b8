import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Journal } from '../http/journal.ts'
import { loopback } from '../http/server.ts'
import { lookup } from './lookup.ts'
import { emptyReply, readQuery, writeReply } from './wire.ts'
import type { ZoneView } from './zone-view.ts'

/** A running name server. */
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

/** Returns the reply to a message, or null if it must be ignored. */
function respond({ journal, instance, view }: Serving, message: Buffer): Buffer | null {
  const query = readQuery(message)
  if (query === null) return null
  const entry = journal.open({
    service: 'dns',
    instance,
    method: query.type,
    path: query.name,
    query: '',
    headers: {},
  })
  try {
    const reply = lookup(view(), query.name, query.type)
    const packet = writeReply(query, reply)
    entry.status = reply.rcode
    return packet
  } catch {
    // Tests can add records that cannot be encoded, such as an invalid address.
    entry.status = 'SERVFAIL'
    return writeReply(query, emptyReply('SERVFAIL'))
  }
}

/** Serves zones over UDP on a free port of loopback. */
export async function startNameServer(serving: Serving): Promise<NameServer> {
  const socket = createSocket('udp4')
  socket.on('message', (message, { port: clientPort, address }) => {
    const reply = respond(serving, message)
    // Errors are ignored because the client may be gone.
    if (reply) socket.send(reply, clientPort, address, () => undefined)
  })
  await once(socket.bind({ address: loopback }), 'listening')
  return { port: socket.address().port, close: () => new Promise(resolve => socket.close(() => resolve())) }
}
