import { promises as dns } from 'node:dns'
import { connect } from 'node:net'
import { encode, type RecordType } from 'dns-packet'
import type { Running } from '../running.ts'

/** Sends one query with an OPT record over TCP. */
async function query({ at }: Running, name: string, type: RecordType): Promise<void> {
  const { host, port } = at.nameServer
  const option = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
  } as const
  const message = encode({
    type: 'query',
    id: 1,
    questions: [{ name, type }],
    additionals: [{ ...option, flag_do: false, options: [] }],
  })
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, host, () =>
      socket.write(Buffer.concat([Buffer.from([0, message.length]), message])),
    )
    socket.once('error', reject)
    socket.once('data', () => {
      socket.destroy()
      resolve()
    })
  })
}

/** Provokes every kind of answer of the name server. */
export async function tour(running: Running): Promise<void> {
  const { api, control, create, at, records } = running
  await create({ type: 'A', name: 'hidden', content: '192.0.2.1', proxied: true })
  await create({ type: 'CNAME', name: 'www', content: 'home.example.com' })
  await create({ type: 'A', name: '*.wild', content: '192.0.2.1' })
  await create({ type: 'NS', name: 'sub', content: 'ns.example.net' })
  await create({ type: 'MX', name: 'mail', content: 'mx.example.com', priority: 1 })
  await create({ type: 'NS', name: '@', content: 'ns.example.net' })
  await create({ type: 'CNAME', name: '@', content: 'home.example.com' })
  await query(running, 'example.com', 'A')
  for (const number of Array(4).keys()) {
    await create({ type: 'TXT', name: 'long', content: `${number}`.repeat(400) })
  }
  for (const name of ['home', 'www', 'hidden', 'a.wild', 'missing', 'a.sub']) {
    await query(running, `${name}.example.com`, 'A')
  }
  await query(running, 'mail.example.com', 'MX')
  await query(running, 'example.com', 'AXFR')
  const resolver = new dns.Resolver()
  resolver.setServers([`${at.nameServer.host}:${at.nameServer.port}`])
  await resolver.resolveTxt('long.example.com')

  const stale = { match: {}, effect: { kind: 'stale', of: 'dns', forMs: 60_000 } }
  await control('PUT', '/faults', { faults: [stale] })
  await api('GET', records)
  await query(running, 'home.example.com', 'A')
  await control('PUT', '/clock', { advanceMs: 60_001 })
}
