import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Store } from '../cloudflare/store.ts'
import type { Journal } from '../http/journal.ts'
import { loopback } from '../http/server.ts'
import { lookup } from './lookup.ts'
import { emptyReply, readQuery, writeReply } from './wire.ts'

/** A running name server. */
interface NameServer {
  readonly port: number
  close(): Promise<void>
}

/** Returns the reply to a message, or null if it must be ignored. */
function respond(store: Store, journal: Journal, instance: number, message: Buffer): Buffer | null {
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
    const reply = lookup(store, query.name, query.type)
    const packet = writeReply(query, reply)
    entry.status = reply.rcode
    return packet
  } catch {
    // Tests can add records that cannot be encoded, such as an invalid address.
    entry.status = 'SERVFAIL'
    return writeReply(query, emptyReply('SERVFAIL'))
  }
}

/** Serves zones over UDP on a free port of loopback. @param instance the number of the name server, from 0 */
export async function startNameServer(store: Store, journal: Journal, instance: number): Promise<NameServer> {
  const socket = createSocket('udp4')
  socket.on('message', (message, { port: clientPort, address }) => {
    const reply = respond(store, journal, instance, message)
    // Errors are ignored because the client may be gone.
    if (reply) socket.send(reply, clientPort, address, () => undefined)
  })
  await once(socket.bind({ address: loopback }), 'listening')
  return { port: socket.address().port, close: () => new Promise(resolve => socket.close(() => resolve())) }
}
