import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_AVAILABLE, type StringAnswer } from 'dns-packet'
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

function response(query: Buffer, flags: number, found: readonly StringAnswer[] = []): readonly Buffer[] {
  const { id = 0, questions = [] } = decode(query)
  return [encode({ type: 'response', id, flags, questions, answers: [...found] })]
}

/** Starts a name server over UDP on loopback; null stays silent. */
async function serve(answer: Answer | null): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    for (const message of answer?.(query) ?? []) socket.send(message, from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, address, resolve))
  closing.push(() => socket.close())
  return socket.address().port
}

const name = 'home.example.com'
const ask = (port: number, timeoutMs = 4000) => dnsClient.ask({ address, port }, name, 'A', timeoutMs)

describe('asking a name server', () => {
  it('fails in time if the server is silent', async () => {
    const port = await serve(null)
    const started = performance.now()
    expect(await ask(port, 600)).toEqual({ silence: 'did not respond (no response)' })
    expect(performance.now() - started).toBeLessThan(3000)
  })

  it.each([
    [3, { problem: 'returned NXDOMAIN' }],
    [5, { problem: 'returned REFUSED' }],
    [2, { problem: 'returned SERVFAIL' }],
  ])('reports the response code %i', async (rcode, expected) => {
    const port = await serve(query => response(query, AUTHORITATIVE_ANSWER | rcode))
    expect(await ask(port)).toEqual(expected)
  })
})

describe('a resolver', () => {
  const com = { type: 'NS', name: 'com', ttl: 60, data: 'a.gtld-servers.net' } as const

  it.each<[boolean, string, Answer | null]>([
    [true, 'answers for com', query => response(query, RECURSION_AVAILABLE, [com])],
    [false, 'refuses', query => response(query, 5)],
    [false, 'has no answer', query => response(query, 0)],
    [false, 'ignores the question', null],
  ])('is told apart: %s for a server that %s', async (expected, _, udp) => {
    const port = await serve(udp)
    expect(await dnsClient.isResolver({ address, port }, 600)).toBe(expected)
  })
})

describe('a lookup by the resolver of the system', () => {
  /** The records of each name. Other names do not exist. */
  type Zone = Readonly<Record<string, readonly { type: 'A' | 'AAAA' | 'NS'; data: string }[]>>
  const notFound = 3

  /** Returns a client whose resolver asks a server with this zone, and the questions that the server received. */
  async function clientFor() {
    const asked: string[] = []
    const port = await serve(query => {
      const [{ name, type } = { name: '', type: '' }] = decode(query).questions ?? []
      asked.push(`${type} ${name}`)
      const found = zone[name]
      const rcode = found ? 0 : notFound
      const answers = (found ?? []).flatMap(record =>
        record.type === type ? [{ ...record, name, ttl: 60 }] : [],
      )
      return response(query, RECURSION_AVAILABLE | rcode, answers)
    })
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
  }

  it('finds the name servers of a zone', async () => {
    const { client, asked } = await clientFor()
    expect(await client.nameServersOf('example.com')).toEqual({
      value: ['ns1.example.net', 'ns2.example.net'],
    })
    expect(asked).toEqual(['NS example.com'])
  })

  it('finds none for a name that is not a zone, or does not exist', async () => {
    const { client } = await clientFor()
    expect(await client.nameServersOf('home.example.com')).toEqual({ value: [] })
    expect(await client.nameServersOf('missing.example.com')).toEqual({ value: [] })
  })

  it('finds the addresses of a host, IPv4 first', async () => {
    const { client } = await clientFor()
    expect(await client.addressesOf('ns1.example.net')).toEqual({ value: ['192.0.2.53', '2001:db8::53'] })
    expect(await client.addressesOf('ns6.example.net')).toEqual({ value: ['2001:db8::53'] })
  })
})
