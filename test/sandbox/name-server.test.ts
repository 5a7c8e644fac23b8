import { createSocket } from 'node:dgram'
import { type Answer, type DecodedPacket, decode, encode, type Packet, type RecordType } from 'dns-packet'
import { beforeAll, describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

/** Sends one datagram and returns the reply, or undefined if none arrives in time. */
const exchange = (message: Buffer, waitMs = 2000): Promise<Buffer | undefined> =>
  new Promise(resolve => {
    const socket = createSocket('udp4')
    function finish(reply?: Buffer) {
      clearTimeout(timer)
      socket.close()
      resolve(reply)
    }
    const timer = setTimeout(finish, waitMs)
    socket.once('message', finish)
    socket.send(message, sandbox.at.nameServer.port, sandbox.at.nameServer.host)
  })

type Decoded = DecodedPacket & { rcode: string }

async function query(name: string, type: RecordType, more: Packet = {}): Promise<Decoded> {
  const reply = await exchange(encode({ type: 'query', id: 7, questions: [{ name, type }], ...more }))
  if (reply === undefined) throw new Error('no answer')
  return decode(reply) as Decoded
}

const edns = (payload: number, version = 0, flags = 0): Answer => ({
  type: 'OPT',
  name: '.',
  udpPayloadSize: payload,
  extendedRcode: 0,
  ednsVersion: version,
  flags,
  flag_do: flags !== 0,
  options: [],
})

const data = (answers: readonly Answer[] | undefined) =>
  (answers ?? []).map(answer => ('data' in answer ? answer.data : answer.type))

beforeAll(async () => {
  await sandbox.create({ type: 'A', name: '*.wild', content: '192.0.2.50' })
  await sandbox.create({ type: 'A', name: 'known.wild', content: '192.0.2.51' })
  await sandbox.create({ type: 'A', name: 'a.deep.branch', content: '192.0.2.52' })
  await sandbox.create({ type: 'A', name: 'auto', content: '192.0.2.53', ttl: 1 })
  await sandbox.create({ type: 'A', name: 'hidden', content: '192.0.2.54', proxied: true })
  await sandbox.create({ type: 'NS', name: 'sub', content: 'ns.sub.example.com' })
  await sandbox.create({ type: 'A', name: 'ns.sub', content: '192.0.2.55' })
  await sandbox.create({ type: 'CNAME', name: 'away', content: 'www.example.net' })
  await sandbox.create({ type: 'CNAME', name: 'dangling', content: 'missing.example.com' })
  await sandbox.create({ type: 'CNAME', name: 'loop-to-apex', content: 'example.com' })
  await sandbox.create({ type: 'CNAME', name: 'loop-a', content: 'loop-b.example.com' })
  await sandbox.create({ type: 'CNAME', name: 'loop-b', content: 'loop-a.example.com' })
  for (const at of Array(4).keys()) {
    await sandbox.create({ type: 'TXT', name: 'long', content: `${at}`.repeat(400) })
  }
})

describe('the name server', () => {
  it('answers authoritatively, offers no recursion, and keeps the case of the question', async () => {
    const reply = await query('HoMe.ExAmPlE.cOm', 'A')
    expect(reply).toMatchObject({ id: 7, rcode: 'NOERROR', flag_aa: true, flag_ra: false })
    expect(reply.questions).toMatchObject([{ name: 'HoMe.ExAmPlE.cOm', type: 'A' }])
    expect(reply.answers).toMatchObject([{ name: 'HoMe.ExAmPlE.cOm', data: '192.0.2.10', ttl: 120 }])
  })

  it('serves a write immediately', async () => {
    const { id } = await sandbox.create({ type: 'A', name: 'moving', content: '192.0.2.60' })
    await sandbox.api('PATCH', `${sandbox.records}/${id}`, { body: { content: '192.0.2.61' } })
    expect(data((await query('moving.example.com', 'A')).answers)).toEqual(['192.0.2.61'])
    await sandbox.api('DELETE', `${sandbox.records}/${id}`)
    expect((await query('moving.example.com', 'A')).rcode).toBe('NXDOMAIN')
  })

  it('returns the SOA with negative answers, and NOERROR for an empty non-terminal', async () => {
    for (const [name, rcode] of [
      ['missing.example.com', 'NXDOMAIN'],
      ['deep.branch.example.com', 'NOERROR'],
    ] as const) {
      const reply = await query(name, 'A')
      expect(reply).toMatchObject({ rcode, flag_aa: true, answers: [] })
      expect(reply.authorities).toMatchObject([{ type: 'SOA', name: 'example.com' }])
    }
  })

  it('increments the serial number with every change', async () => {
    async function serial() {
      const [soa] = (await query('example.com', 'SOA')).answers ?? []
      return soa?.type === 'SOA' ? soa.data.serial : undefined
    }
    const before = await serial()
    await sandbox.create({ type: 'A', name: 'serial', content: '192.0.2.1' })
    expect(await serial()).toBeGreaterThan(before ?? Number.NaN)
  })

  it('uses a wildcard only for names that do not exist', async () => {
    expect((await query('any.wild.example.com', 'A')).answers).toMatchObject([
      { name: 'any.wild.example.com', data: '192.0.2.50' },
    ])
    expect(data((await query('known.wild.example.com', 'A')).answers)).toEqual(['192.0.2.51'])
    expect(data((await query('x.known.wild.example.com', 'A')).answers)).toEqual([])
  })

  it('serves an automatic ttl as 300 and hides the content of proxied records', async () => {
    expect((await query('auto.example.com', 'A')).answers).toMatchObject([{ ttl: 300 }])
    expect(data((await query('hidden.example.com', 'A')).answers)).toEqual(['198.51.100.1'])
    expect(data((await query('hidden.example.com', 'AAAA')).answers)).toEqual(['2001:db8::1'])
  })

  it('refers a delegated name to its name servers, with their addresses', async () => {
    const reply = await query('host.sub.example.com', 'A')
    expect(reply).toMatchObject({ rcode: 'NOERROR', flag_aa: false, answers: [] })
    expect(data(reply.authorities)).toEqual(['ns.sub.example.com'])
    expect(data(reply.additionals)).toEqual(['192.0.2.55'])
  })

  it('follows a CNAME inside its zone only, and survives missing targets and loops', async () => {
    expect(data((await query('away.example.com', 'A')).answers)).toEqual(['www.example.net'])
    expect(await query('dangling.example.com', 'A')).toMatchObject({
      rcode: 'NXDOMAIN',
      answers: [{ data: 'missing.example.com' }],
    })
    expect((await query('loop-a.example.com', 'A')).rcode).toBe('NOERROR')
  })

  it('answers the DS of a delegation itself, and refers queries below it to its name servers', async () => {
    const unsigned = await query('sub.example.com', 'DS')
    expect(unsigned).toMatchObject({ rcode: 'NOERROR', flag_aa: true, answers: [] })
    expect(unsigned.authorities).toMatchObject([{ type: 'SOA', name: 'example.com' }])
    expect(data((await query('a.sub.example.com', 'DS')).authorities)).toEqual(['ns.sub.example.com'])
  })

  it('answers the DS of a delegated zone from the parent, even if it serves that zone too', async () => {
    const { body } = await sandbox.control('GET', '/state')
    const child = { id: 'c'.repeat(32), name: 'child.example.com' }
    await sandbox.control('PUT', '/state', { zones: [...(body['zones'] as object[]), child] })
    const soaOf = async () => (await query('child.example.com', 'DS')).authorities?.map(({ name }) => name)
    expect(await soaOf()).toEqual(['child.example.com'])
    await sandbox.create({ type: 'NS', name: 'child', content: 'ns1.child.example.com' })
    expect(await soaOf()).toEqual(['example.com'])
  })

  it('does not serve NS records of the apex from the API', async () => {
    const { id } = await sandbox.create({ type: 'NS', name: '@', content: 'ns.example.net' })
    expect(data((await query('example.com', 'NS')).answers).sort()).toEqual([
      'ns1.example.com',
      'ns2.example.com',
    ])
    await sandbox.api('DELETE', `${sandbox.records}/${id}`)
  })

  it('serves the addresses behind a CNAME at the apex in place of it', async () => {
    const { id } = await sandbox.create({ type: 'CNAME', name: '@', content: 'home.example.com' })
    expect((await query('EXAMPLE.com', 'A')).answers).toMatchObject([
      { type: 'A', name: 'EXAMPLE.com', data: '192.0.2.10', ttl: 120 },
    ])
    expect(await query('example.com', 'CNAME')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(await query('example.com', 'AAAA')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    expect(data((await query('example.com', 'TXT')).answers)).toEqual([[Buffer.from('v=spf1 -all')]])
    for (const [content, rcode] of [
      ['www.example.net', 'SERVFAIL'],
      ['loop-to-apex.example.com', 'SERVFAIL'],
    ]) {
      await sandbox.api('PATCH', `${sandbox.records}/${id}`, { body: { content } })
      expect((await query('example.com', 'A')).rcode).toBe(rcode)
    }
    await sandbox.api('DELETE', `${sandbox.records}/${id}`)
  })

  it('answers ANY with all records of a name', async () => {
    const reply = await query('example.com', 'ANY' as RecordType, { additionals: [edns(1232)] })
    expect(reply.answers?.map(({ type }) => type).sort()).toEqual(['NS', 'NS', 'SOA', 'TXT'])
  })

  it('truncates answers over 512 bytes, or over the EDNS limit', async () => {
    const plain = await query('long.example.com', 'TXT')
    expect(plain).toMatchObject({ flag_tc: true, answers: [] })
    const large = await query('long.example.com', 'TXT', { additionals: [edns(4096)] })
    expect(large).toMatchObject({ flag_tc: true })
    expect(large.additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232, flag_do: false }])
  })

  it('returns the DO flag of a query', async () => {
    const reply = await query('home.example.com', 'A', { additionals: [edns(1232, 0, 0x8000)] })
    expect(reply.additionals).toMatchObject([{ type: 'OPT', flag_do: true }])
  })

  it('refuses transfers, other classes and other zones', async () => {
    expect((await query('example.com', 'AXFR')).rcode).toBe('REFUSED')
    expect((await query('example.net', 'A')).rcode).toBe('REFUSED')
    const chaos = await query('example.com', 'TXT', {
      questions: [{ name: 'example.com', type: 'TXT', class: 'CH' }],
    })
    expect(chaos.rcode).toBe('REFUSED')
  })

  it('refuses other opcodes, later EDNS versions and two questions', async () => {
    const update = await query('example.com', 'SOA', { flags: 5 << 11 })
    expect(update).toMatchObject({ rcode: 'NOTIMP', opcode: 'UPDATE' })
    const later = await query('example.com', 'SOA', { additionals: [edns(1232, 1)] })
    expect(later.additionals).toMatchObject([{ type: 'OPT', extendedRcode: 1 }])
    const question = { name: 'example.com', type: 'A' } as const
    expect((await query('', 'A', { questions: [question, question] })).rcode).toBe('FORMERR')
  })

  it('returns SERVFAIL for a record that cannot be encoded', async () => {
    const { zoneId } = sandbox.at.cloudflare
    const { body } = await sandbox.control('GET', '/state')
    const records = (body['records'] as Record<string, unknown[]>)[zoneId] ?? []
    const odd = { type: 'A', name: 'odd.example.com', content: 'no address' }
    await sandbox.control('PUT', '/state', { records: { [zoneId]: [...records, odd] } })
    expect((await query('odd.example.com', 'A')).rcode).toBe('SERVFAIL')
  })

  it('ignores responses and malformed messages', async () => {
    const answer = encode({ type: 'response', id: 7, questions: [{ name: 'example.com', type: 'A' }] })
    expect(await exchange(answer, 100)).toBeUndefined()
    expect(await exchange(Buffer.from('no'), 100)).toBeUndefined()
  })
})
