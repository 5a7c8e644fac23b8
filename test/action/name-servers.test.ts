import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { type AddressInfo, createServer } from 'node:net'
import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet'
import { afterAll, describe, expect, it } from 'vitest'
import { createDnsClient } from '../../action/name-servers.ts'

const dnsClient = createDnsClient()
const address = '127.0.0.1'
const closing: (() => void)[] = []

// The tests run concurrently, so the servers are closed after the last one.
afterAll(() => {
  for (const close of closing) close()
})

/** Returns the messages that a server sends for a query, in order. */
type Answer = (query: Buffer) => readonly Buffer[]

function response(query: Buffer, flags: number, data = '203.0.113.7'): Buffer {
  const { id = 0, questions = [] } = decode(query)
  const truncated = (flags & TRUNCATED_RESPONSE) !== 0
  const answers = truncated ? [] : [{ type: 'A' as const, name: 'home.example.com', ttl: 60, data }]
  return encode({ type: 'response', id, flags, questions, answers })
}

/** Starts a name server on one port of loopback; null for a transport that stays silent. */
async function serve(udp: Answer | null, tcp: Answer | null): Promise<number> {
  const stream = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', query => {
      for (const message of tcp?.(query.subarray(2)) ?? []) socket.write(message)
    })
  })
  await new Promise<void>(resolve => stream.listen(0, address, resolve))
  const { port } = stream.address() as AddressInfo
  const datagrams = createSocket('udp4')
  datagrams.on('message', (query, from) => {
    for (const message of udp?.(query) ?? []) datagrams.send(message, from.port, from.address)
  })
  await new Promise<void>(resolve => datagrams.bind(port, address, resolve))
  closing.push(
    () => stream.close(),
    () => datagrams.close(),
  )
  return port
}

const name = 'home.example.com'
const ask = (port: number, timeoutMs = 4000) => dnsClient.ask({ address, port }, name, 'A', timeoutMs)
const silence = { silence: 'did not respond (no response)' }

describe('asking a name server', () => {
  it.each([
    ['silent', null],
    ['silent over TCP', (query: Buffer) => [response(query, TRUNCATED_RESPONSE)]],
  ])('fails in time if the server is %s', async (_, udp: Answer | null) => {
    const port = await serve(udp, () => [])
    const started = performance.now()
    expect(await ask(port, 600)).toEqual(silence)
    expect(performance.now() - started).toBeLessThan(3000)
  })

  it.each([
    [3, { problem: 'returned NXDOMAIN' }],
    [5, { problem: 'returned REFUSED' }],
    [2, { problem: 'returned SERVFAIL' }],
  ])('reports the response code %i', async (rcode, expected) => {
    const port = await serve(query => [response(query, AUTHORITATIVE_ANSWER | rcode)], null)
    expect(await ask(port)).toEqual(expected)
  })
})

describe('a resolver', () => {
  const answering = (flags: number, data: string | null) => (query: Buffer) => {
    const { id = 0, questions = [] } = decode(query)
    const answers = data === null ? [] : [{ type: 'NS' as const, name: 'com', ttl: 60, data }]
    return [encode({ type: 'response', id, flags, questions, answers })]
  }

  it.each<[boolean, string, Answer | null]>([
    [true, 'answers for com', answering(RECURSION_AVAILABLE, 'a.gtld-servers.net')],
    [false, 'refuses', answering(5, null)],
    [false, 'has no answer', answering(0, null)],
    [false, 'ignores the question', null],
  ])('is told apart: %s for a server that %s', async (expected, _, udp) => {
    const port = await serve(udp, null)
    expect(await dnsClient.isResolver({ address, port }, 600)).toBe(expected)
  })
})

describe('a lookup by the resolver of the system', () => {
  /** The records of each name. Other names do not exist. */
  type Zone = Readonly<Record<string, readonly { type: 'A' | 'AAAA' | 'NS'; data: string }[]>>
  const [notFound, serverFailure] = [3, 2]

  /** Returns a client whose resolver asks a server with this zone, and the questions that the server received. */
  async function clientFor(zone: Zone | null) {
    const asked: string[] = []
    const port = await serve(query => {
      const { id = 0, questions = [] } = decode(query)
      const [{ name, type } = { name: '', type: '' }] = questions
      asked.push(`${type} ${name}`)
      const found = zone?.[name]
      const rcode = zone ? (found ? 0 : notFound) : serverFailure
      const answers = (found ?? []).flatMap(record =>
        record.type === type ? [{ ...record, name, ttl: 60 }] : [],
      )
      return [encode({ type: 'response', id, flags: RECURSION_AVAILABLE | rcode, questions, answers })]
    }, null)
    const client = createDnsClient(() => {
      const resolver = new Resolver({ timeout: 2000, tries: 1 })
      resolver.setServers([`${address}:${port}`])
      return resolver
    })
    return { client, asked }
  }

  const zone: Zone = {
    'example.com': [
      { type: 'NS', data: 'ns1.example.net' },
      { type: 'NS', data: 'ns2.example.net' },
    ],
    'home.example.com': [{ type: 'A', data: '203.0.113.7' }],
    'ns1.example.net': [
      { type: 'AAAA', data: '2001:db8::53' },
      { type: 'A', data: '192.0.2.53' },
    ],
    'ns6.example.net': [{ type: 'AAAA', data: '2001:db8::53' }],
    'empty.example.net': [],
  }

  it('finds the name servers of a zone', async () => {
    const { client, asked } = await clientFor(zone)
    expect(await client.nameServersOf('example.com')).toEqual({
      value: ['ns1.example.net', 'ns2.example.net'],
    })
    expect(asked).toEqual(['NS example.com'])
  })

  it('finds none for a name that is not a zone, or does not exist', async () => {
    const { client } = await clientFor(zone)
    expect(await client.nameServersOf('home.example.com')).toEqual({ value: [] })
    expect(await client.nameServersOf('missing.example.com')).toEqual({ value: [] })
  })

  it('finds the addresses of a host, IPv4 first', async () => {
    const { client } = await clientFor(zone)
    expect(await client.addressesOf('ns1.example.net')).toEqual({ value: ['192.0.2.53', '2001:db8::53'] })
    expect(await client.addressesOf('ns6.example.net')).toEqual({ value: ['2001:db8::53'] })
  })
})

describe('an address', () => {
  it.each(['192.0.2.1', '2001:db8::1'])('needs no lookup: %s', async host => {
    expect(await dnsClient.addressesOf(host)).toEqual({ value: [host] })
  })
})
