import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../action/deadline.ts'
import type { DnsClient, Served } from '../../action/name-servers.ts'
import type { Reading } from '../../action/problem.ts'
import { type Confirmed, explainServed, type NameServer, verifyServed } from '../../action/verify.ts'
import { virtualClock } from '../support/virtual-clock.ts'

const record: Confirmed = {
  hostname: 'home.example.com',
  type: 'A',
  address: '203.0.113.7',
  previousAddress: '192.0.2.1',
  proxied: false,
}

const serving = (...value: readonly string[]): Served => ({ value })
const silence: Served = { silence: 'did not respond (no response)' }

describe('a response', () => {
  it('shows the record if it has the address and nothing else', () => {
    expect(explainServed(serving('203.0.113.7'), record)).toBeNull()
    const ipv6 = { ...record, type: 'AAAA', address: '2001:db8::7' } as const
    expect(explainServed(serving('2001:db8:0:0::7'), ipv6)).toBeNull()
  })

  it.each<[string, Served, string]>([
    ['a second address', serving('203.0.113.7', '192.0.2.1'), 'serves 203.0.113.7, 192.0.2.1'],
    ['no record', serving(), 'serves no A record'],
  ])('does not show it with %s', (_, served, problem) => {
    expect(explainServed(served, record)).toBe(problem)
  })

  it('shows a proxied record if it has addresses of the proxy', () => {
    const proxied = { ...record, proxied: true }
    expect(explainServed(serving('104.16.0.1', '104.16.0.2'), proxied)).toBeNull()
    for (const found of ['203.0.113.7', '192.0.2.1']) {
      expect(explainServed(serving('104.16.0.1', found), proxied)).toBe(
        `serves 104.16.0.1, ${found} instead of addresses of the proxy`,
      )
    }
    expect(explainServed(serving(), proxied)).toBe('serves no A record')
  })
})

interface Asked {
  readonly atMs: number
  readonly address: string
  readonly port: number
  readonly name: string
}

const isSecond = (address: string) => address === 'address of ns2.example.net'
const server = (host: string): NameServer => ({ name: host, host, port: 5353 })
const both = [server('ns1.example.net'), server('ns2.example.net')]
const right = serving('203.0.113.7')
const old = serving('192.0.2.1')

/** Verifies in virtual time. `answer` returns the response of a server, `zones` the name servers of each zone. */
async function verifyIn({
  timeoutMs = 20_000,
  records = [record] as readonly Confirmed[],
  given = both,
  answer = (_: Asked): Served => right,
  zones = {} as Readonly<Record<string, Reading<readonly string[], string>>>,
  isResolver = (_address: string, _atMs: number): boolean | null => false,
  time: { clock, pass } = virtualClock(),
}) {
  const asked: Asked[] = []
  const lookups: string[] = []
  const limits: number[] = []
  const probed: { place: string; limitMs: number }[] = []
  const dns: DnsClient = {
    isResolver: async ({ address, port }, limitMs) => {
      probed.push({ place: `${address}:${port}`, limitMs })
      return isResolver(address, clock.now())
    },
    ask: async (to, name, _, limitMs) => {
      const one = { atMs: clock.now(), ...to, name }
      asked.push(one)
      const found = answer(one)
      pass('silence' in found ? limitMs : 10)
      return found
    },
    addressesOf: async (host, limitMs) => {
      limits.push(limitMs)
      return { value: host.startsWith('two.') ? ['silent', 'second'] : [`address of ${host}`] }
    },
    nameServersOf: async (zone, limitMs) => {
      limits.push(limitMs)
      lookups.push(zone)
      pass(1000)
      return zones[zone] ?? { value: [] }
    },
  }
  const deadline = startDeadline(timeoutMs, clock)
  const verifications = await verifyServed(records, given, { dns, deadline, clock })
  return { verifications, asked, lookups, limits, probed, elapsedMs: clock.now() }
}

const servedBy = (...names: readonly string[]) => [{ value: { servedBy: names } }]
const notServed = (message: string | RegExp) => ({
  problem: { reason: 'not-served', message: expect.stringMatching(message) },
})

describe('verifying', () => {
  it('asks lagging servers again, with growing waits, and no others', async () => {
    const { verifications, asked } = await verifyIn({
      timeoutMs: 60_000,
      answer: ({ address, atMs }) => (isSecond(address) && atMs < 12_000 ? old : right),
    })
    expect(verifications).toMatchObject(servedBy('ns1.example.net', 'ns2.example.net'))
    expect(asked.filter(({ address }) => !isSecond(address))).toHaveLength(1)
    const times = asked.filter(({ address }) => isSecond(address)).map(({ atMs }) => atMs)
    const waits = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0))
    expect(waits).toEqual([760, 1510, 3010, 3760, 3760])
  })

  it('asks no server again without time for its answer, or once the run was asked to stop', async () => {
    const askedIn = async (timeoutMs: number, time = virtualClock()) =>
      (await verifyIn({ timeoutMs, given: both.slice(1), answer: () => old, time })).asked.length
    expect(await askedIn(800)).toBe(1)
    expect(await askedIn(900)).toBe(2)
    const stopping = virtualClock()
    stopping.clock.sleep = async () => {}
    expect(await askedIn(20_000, stopping)).toBe(1)
  })

  it('asks the next address of a server that is silent', async () => {
    const answer = ({ address }: Asked) => (address === 'silent' ? silence : right)
    const { verifications } = await verifyIn({ given: [server('two.example.net')], answer })
    expect(verifications).toMatchObject(servedBy('two.example.net'))
  })

  it('fails, with the reason, if a resolver responds in place of a server, and asks each server once', async () => {
    const records = [record, { ...record, hostname: 'vpn.example.com' }]
    const { verifications, probed } = await verifyIn({ records, isResolver: isSecond })
    const resolver = notServed(/: ns2\.example\.net answers for com, too, so a resolver/)
    expect(verifications).toMatchObject([resolver, resolver])
    expect(probed).toEqual([
      { place: 'address of ns1.example.net:5353', limitMs: 4000 },
      { place: 'address of ns2.example.net:5353', limitMs: 4000 },
    ])
  })

  it('asks a server again that was silent to the question which shows a resolver', async () => {
    const isResolver = (address: string, atMs: number) => isSecond(address) && (atMs < 500 ? null : true)
    const late = await verifyIn({ isResolver })
    const resolver = notServed(/: ns2\.example\.net answers for com, too/)
    expect(late.verifications).toMatchObject([resolver])
    const once = await verifyIn({ isResolver: (address, atMs) => isSecond(address) && atMs < 500 && null })
    expect(once.verifications).toMatchObject(servedBy('ns1.example.net', 'ns2.example.net'))
  })

  it('leaves out a server that stays silent to it, with a warning, and fails if none is left', async () => {
    const unclear = (address: string) => (isSecond(address) ? null : false)
    const { verifications, elapsedMs } = await verifyIn({ isResolver: unclear })
    const note = /^The record is served by ns2\.example\.net, but without a response for com/
    expect(verifications).toMatchObject([
      { value: { servedBy: ['ns1.example.net'], notes: [expect.stringMatching(note)] } },
    ])
    expect(elapsedMs).toBeLessThan(2000)
    const none = await verifyIn({ isResolver: () => null })
    const unknown = notServed(/^Cloudflare confirmed .*\. .* by ns1\.example\.net, ns2\.example\.net, but/)
    expect(none.verifications).toMatchObject([unknown])
  })

  it('waits for a silent server once per pass, however many records there are', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${index}.example.com`)
    const records = names.map(hostname => ({ ...record, hostname }))
    const answer = ({ address }: Asked) => (isSecond(address) ? silence : right)
    const { verifications, asked } = await verifyIn({ timeoutMs: 60_000, records, answer })
    expect(verifications.every(verification => 'problem' in verification)).toBe(true)
    expect(asked.filter(({ address }) => !isSecond(address))).toHaveLength(50)
    expect(new Set(asked.map(({ port }) => port))).toEqual(new Set([5353]))
  })
})

describe('the name servers', () => {
  const zones = { 'example.com': { value: ['ns2.example.net', 'NS1.example.net.'] } }

  it.each<[what: string, hostnames: readonly string[], lookups: readonly string[]]>([
    ['the nearest zone above it', ['a.b.example.com'], ['a.b.example.com', 'b.example.com', 'example.com']],
    ['its zone, for a wildcard', ['*.example.com'], ['example.com']],
    ['itself, looked up once', ['a.example.com', 'example.com'], ['a.example.com', 'example.com']],
  ])('of a name are those of %s', async (_, hostnames, expected) => {
    const records = hostnames.map(hostname => ({ ...record, hostname }))
    const { verifications, lookups } = await verifyIn({ records, given: [], zones })
    expect(lookups).toEqual(expected)
    const value = { servedBy: ['ns1.example.net', 'ns2.example.net'], notes: [] }
    expect(verifications).toEqual(hostnames.map(() => ({ value })))
  })

  it('in a network with a zone of its own are its own, so the public ones must be named', async () => {
    const own = { 'example.com': { value: ['dc1.corp.example'] } }
    const answer = ({ address }: Asked) => (address.includes('corp') ? serving('10.0.0.7') : right)
    const found = await verifyIn({ given: [], answer, zones: own })
    expect(found.verifications).toMatchObject([notServed('dc1.corp.example serves 10.0.0.7')])
    const { verifications, lookups } = await verifyIn({ answer, zones: own })
    expect(verifications).toMatchObject(servedBy('ns1.example.net', 'ns2.example.net'))
    expect(lookups).toEqual([])
  })

  it('are looked up within the time of the round', async () => {
    const records = [{ ...record, hostname: 'a.b.example.com' }]
    const { limits } = await verifyIn({ timeoutMs: 6000, records, given: [], zones })
    expect(limits).toEqual([6000, 5000, 4000, 3000, 3000])
  })

  it.each([
    [
      'cannot be looked up',
      { 'home.example.com': { problem: 'no response' } },
      /home\.example\.com: no response\. Set name-servers/,
    ],
    ['do not exist', {}, /no zone above it has any/],
    ['have invalid names', { 'example.com': { value: ['ns1 example'] } }, /example\.com has .*ns1 example/],
  ])('that %s fail the record', async (_, zones, message) => {
    const { verifications, asked } = await verifyIn({ given: [], zones })
    expect(verifications).toMatchObject([notServed(message)])
    expect(asked).toEqual([])
  })
})
