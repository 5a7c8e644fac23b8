import { createUDPServer, Packet } from 'dns2'
import { makeRecord } from '../sandbox/cloudflare/records/record.ts'
import { Store } from '../sandbox/cloudflare/store.ts'
import { zoneViewOf } from '../sandbox/cloudflare/zone-view.ts'
import { startNameServer } from '../sandbox/dns/name-server.ts'
import { Clock } from '../sandbox/http/clock.ts'
import { Journal } from '../sandbox/http/journal.ts'

/**
 * A measured process: a name server that reports its CPU time to the parent, or a store that reports its memory. Its
 * arguments are its part and the number of records. Start it with --expose-gc.
 */

export type Part = 'name-server' | 'dns2' | 'memory'

const [part, amount] = process.argv.slice(2)
const records = Number(amount)
const zone = {
  id: '0'.repeat(32),
  name: 'example.com',
  status: 'active',
  nameServers: [],
  createdOn: '2026-01-01T00:00:00Z',
}

const nameOf = (at: number): string => `host-${at}.example.com`
const addressOf = (at: number): string => `192.0.${(at >> 8) & 255}.${at & 255}`

function fill(store: Store): void {
  for (let at = 0; at < records; at += 1) {
    const draft = {
      name: nameOf(at),
      type: 'A',
      content: addressOf(at),
      proxied: false,
      ttl: 120,
      settings: {},
      comment: null,
      tags: [],
    }
    const id = at.toString(16).padStart(32, '0')
    store.put(zone, makeRecord(id, draft, '2026-01-01T00:00:00.123456Z'))
  }
}

function heap(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function makeStore(): Store {
  const store = new Store()
  store.replace({ zones: [zone] })
  return store
}

function reportMemory(): void {
  const store = makeStore()
  const before = heap()
  fill(store)
  process.send?.({ bytes: heap() - before, records: store.records(zone).all().length })
  process.disconnect()
}

async function serve(): Promise<number> {
  const store = makeStore()
  fill(store)
  return (
    await startNameServer(
      { journal: new Journal(new Clock()), instance: 0, view: () => zoneViewOf(store, false) },
      0,
    )
  ).port
}

/** Serves with dns2 and the smallest possible handler, which looks a name up in a map. */
async function serveByLibrary(): Promise<number> {
  const addresses = new Map(Array.from({ length: records }, (_, at) => [nameOf(at), addressOf(at)]))
  const server = createUDPServer((request, send) => {
    const response = Packet.createResponseFromRequest(request)
    const question = request.questions[0]
    const address = addresses.get(question?.name ?? '')
    if (question && address !== undefined) {
      response.answers.push(Packet.createResourceFromQuestion(question, { ttl: 120, address }))
    }
    send(response)
  })
  await server.listen(0, '127.0.0.1')
  return server.address().port
}

if (part === 'memory') reportMemory()
else {
  const port = await (part === 'dns2' ? serveByLibrary() : serve())
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuMicros: user + system })
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ port })
}
