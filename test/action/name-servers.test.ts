import { createSocket } from 'node:dgram'
import type { ResolverOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { setTimeout } from 'node:timers/promises'
import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_AVAILABLE, type StringAnswer } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { createDnsClient } from '../../action/name-servers.ts'
import { timeLimit } from '../support/time-limit.ts'

const dnsClient = createDnsClient()
const address = '127.0.0.1'

/** Returns the messages that a server sends for a query, in order. */
type Answer = (query: Buffer) => readonly Buffer[] | Promise<readonly Buffer[]>

function response(query: Buffer, flags: number, found: readonly StringAnswer[] = []): readonly Buffer[] {
  const { id = 0, questions = [] } = decode(query)
  return [encode({ type: 'response', id, flags, questions, answers: [...found] })]
}

/** Starts a name server over UDP on loopback; null stays silent. */
async function serve(answer: Answer | null): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', async (query, from) => {
    for (const message of (await answer?.(query)) ?? []) socket.send(message, from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, address, resolve))
  return socket.unref().address().port
}

const notFound = 3
const limitMs = timeLimit(30_000)
const name = 'home.example.com'
const ask = (port: number, timeoutMs = limitMs) => dnsClient.ask({ address, port }, name, 'A', timeoutMs)

describe('asking a name server', () => {
  it('fails in time if the server is silent', async () => {
    const port = await serve(null)
    const started = performance.now()
    expect(await ask(port, 600)).toEqual({ silence: 'did not respond (no response)' })
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it.each([
    [0, { value: [] }],
    [notFound, { problem: 'returned NXDOMAIN' }],
    [5, { problem: 'returned REFUSED' }],
    [2, { problem: 'returned SERVFAIL' }],
  ])('without a record reports the response code %i', async (rcode, expected) => {
    const port = await serve(query => response(query, AUTHORITATIVE_ANSWER | rcode))
    expect(await ask(port)).toEqual(expected)
  })
})

it('an address is no name, so no resolver is asked for it', async () => {
  const client = createDnsClient(() => expect.unreachable())
  for (const host of ['192.0.2.53', '2001:db8::53'])
    expect(await client.addressesOf(host, 300)).toEqual({ value: [host] })
})

const com = { type: 'NS', name: 'com', ttl: 60, data: 'a.gtld-servers.net' } as const

it.each<[boolean | null, string, Answer | null]>([
  [true, 'answers for com', query => response(query, RECURSION_AVAILABLE, [com])],
  [false, 'refuses', query => response(query, 5)],
  [false, 'has no answer', query => response(query, 0)],
  [null, 'ignores the question', null],
])('a resolver is recognised: %s for a server that %s', async (expected, _, udp) => {
  const port = await serve(udp)
  expect(await dnsClient.isResolver({ address, port }, udp ? limitMs : 600)).toBe(expected)
})

// c-ares gives no try more than five seconds.
it('a resolver is recognised although its response takes most of the time', async () => {
  const port = await serve(async query => {
    await setTimeout(3500)
    return response(query, RECURSION_AVAILABLE, [com])
  })
  expect(await dnsClient.isResolver({ address, port }, 5000)).toBe(true)
})

/** Creates a client whose system has its resolver at this port. */
const clientOf = (port: number, own: ResolverOptions = {}) =>
  createDnsClient(options => {
    const resolver = new Resolver({ ...options, ...own })
    resolver.setServers([`${address}:${port}`])
    return resolver
  })

it('a lookup ends in time, however long the resolver of the system is silent', async () => {
  const port = await serve(null)
  const client = clientOf(port)
  const started = performance.now()
  expect(await client.nameServersOf('example.com', 300)).toEqual({ problem: 'no response' })
  expect(await client.addressesOf('ns1.example.net', 300)).toEqual({ problem: 'no response' })
  // The tries of one lookup would take nine seconds.
  expect(performance.now() - started).toBeLessThan(6000)
})

it('a lookup finds IPv4 addresses first, and no name servers of a host or of a name that does not exist', async () => {
  const zone: readonly StringAnswer[] = [
    { type: 'AAAA', name: 'ns1.example.net', data: '2001:db8::53' },
    { type: 'A', name: 'ns1.example.net', data: '192.0.2.53' },
    { type: 'AAAA', name: 'ns6.example.net', data: '2001:db8::53' },
  ]
  const port = await serve(query => {
    const [{ name, type } = { name: '', type: '' }] = decode(query).questions ?? []
    const found = zone.filter(record => record.name === name)
    const rcode = found.length > 0 ? 0 : notFound
    const answers = found.filter(record => record.type === type)
    return response(query, RECURSION_AVAILABLE | rcode, answers)
  })
  const { addressesOf, nameServersOf } = clientOf(port, { timeout: limitMs, tries: 1 })
  expect(await addressesOf('ns1.example.net', limitMs)).toEqual({ value: ['192.0.2.53', '2001:db8::53'] })
  expect(await addressesOf('ns6.example.net', limitMs)).toEqual({ value: ['2001:db8::53'] })
  for (const name of ['ns1.example.net', 'missing.example.net'])
    expect(await nameServersOf(name, limitMs)).toEqual({ value: [] })
})
