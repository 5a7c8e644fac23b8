import { describe, expect, it } from 'vitest'
import { type Clock, startDeadline } from '../../action/deadline.ts'
import type { DnsClient } from '../../action/dns-client.ts'
import type { DnsQuestion, DnsResponse } from '../../action/dns-message.ts'
import type { Reading } from '../../action/problem.ts'
import { type Confirmed, type NameServer, readServed, verifyServed } from '../../action/verify.ts'
import { virtualClock } from '../support/virtual-clock.ts'

const record: Confirmed = {
  hostname: 'home.example.com',
  type: 'A',
  zoneId: 'f'.repeat(32),
  address: '203.0.113.7',
  previousAddress: '192.0.2.1',
  proxied: false,
}

function response(fields: Partial<DnsResponse> = {}, ...data: readonly string[]) {
  const answers = data.map(data => ({ name: record.hostname, type: record.type, ttl: 60, data }))
  const value: DnsResponse = { authoritative: true, truncated: false, rcode: 'NOERROR', answers, ...fields }
  return { value }
}

const failure = { problem: 'no response' }

describe('a response', () => {
  it('shows the record if it has the address and nothing else', () => {
    expect(readServed(response({}, '203.0.113.7'), record)).toEqual({ value: ['203.0.113.7'] })
  })

  it('may have other types and other names beside it', () => {
    const beside = [
      { name: record.hostname, type: null, ttl: 60, data: '' },
      { name: 'ns1.example.com', type: 'A', ttl: 60, data: '192.0.2.53' },
    ] as const
    const { answers } = response({}, '203.0.113.7').value
    expect(readServed(response({ answers: [...beside, ...answers] }), record)).toEqual({
      value: ['203.0.113.7'],
    })
  })

  it.each([
    ['the previous address', response({}, '192.0.2.1'), 'serves 192.0.2.1'],
    ['a second address', response({}, '203.0.113.7', '192.0.2.1'), 'serves 203.0.113.7, 192.0.2.1'],
    ['no record', response(), 'serves no A record'],
    ['no name', response({ rcode: 'NXDOMAIN' }), 'returned NXDOMAIN'],
    ['a refusal', response({ rcode: 'REFUSED' }, '203.0.113.7'), 'returned REFUSED'],
    ['no authority', response({ authoritative: false }, '203.0.113.7'), 'is not authoritative for it'],
    [
      'an alias',
      response({ answers: [{ name: record.hostname, type: 'CNAME', ttl: 60, data: 'router.example.net' }] }),
      'serves an alias to "router.example.net"',
    ],
    ['nothing', failure, 'did not respond (no response)'],
  ])('does not show it with %s', (_, found, problem) => {
    expect(readServed(found, record)).toEqual({ problem })
  })

  it('shows a proxied record if it has addresses of the proxy', () => {
    const proxied = { ...record, proxied: true }
    const ofProxy = ['104.16.0.1', '104.16.0.2']
    expect(readServed(response({}, ...ofProxy), proxied)).toEqual({ value: ofProxy })
    for (const own of ['203.0.113.7', '192.0.2.1']) {
      expect(readServed(response({}, '104.16.0.1', own), proxied)).toEqual({
        problem: `serves 104.16.0.1, ${own} instead of addresses of the proxy`,
      })
    }
    expect(readServed(response(), proxied)).toEqual({ problem: 'serves no A record' })
  })
})

interface Asked {
  readonly atMs: number
  readonly address: string
  readonly question: DnsQuestion
}

/** Verifies in virtual time. `answer` returns the response of a server, `zones` the name servers of each zone. */
async function verifyIn(
  timeoutMs: number,
  records: readonly Confirmed[],
  given: readonly NameServer[],
  answer: (asked: Asked) => Reading<DnsResponse, string>,
  zones: Readonly<Record<string, Reading<readonly string[], string>>> = {},
  { stopAtMs = Number.POSITIVE_INFINITY, queryMs = 10 } = {},
) {
  let nowMs = 0
  const clock: Clock = {
    now: () => nowMs,
    sleep: async ms => {
      if (nowMs < stopAtMs) nowMs += ms
    },
    random: () => 0.5,
  }
  const asked: Asked[] = []
  const lookups: string[] = []
  const dns: DnsClient = {
    ask: async ({ address }, question, limitMs) => {
      const one = { atMs: nowMs, address, question }
      asked.push(one)
      const found = answer(one)
      nowMs += 'problem' in found ? limitMs : queryMs
      return found
    },
    addressesOf: async host => ({ value: [`address of ${host}`] }),
    nameServersOf: async zone => {
      lookups.push(zone)
      return zones[zone] ?? { value: [] }
    },
  }
  const deadline = startDeadline(timeoutMs, clock)
  const verifications = await verifyServed(records, given, { dns, deadline, clock })
  return { verifications, asked, lookups, elapsedMs: nowMs }
}

const server = (host: string): NameServer => ({ name: host, host, port: 53 })
const both = [server('ns1.example.net'), server('ns2.example.net')]
const right = response({}, '203.0.113.7')
const old = response({}, '192.0.2.1')

describe('verifying', () => {
  it('asks every server once if all of them serve the record', async () => {
    const { verifications, asked } = await verifyIn(60_000, [record], both, () => right)
    expect(verifications).toEqual([{ value: ['ns1.example.net', 'ns2.example.net'] }])
    expect(asked.map(({ address }) => address)).toEqual([
      'address of ns1.example.net',
      'address of ns2.example.net',
    ])
    expect(asked[0]?.question).toMatchObject({ name: 'home.example.com', type: 'A', recursionDesired: false })
  })

  it('asks lagging servers again, with growing waits, and no others', async () => {
    const { verifications, asked } = await verifyIn(60_000, [record], both, ({ address, atMs }) =>
      address.includes('ns2') && atMs < 12_000 ? old : right,
    )
    expect(verifications).toMatchObject([{ value: expect.anything() }])
    expect(asked.filter(({ address }) => address.includes('ns1'))).toHaveLength(1)
    const times = asked.filter(({ address }) => address.includes('ns2')).map(({ atMs }) => atMs)
    const waits = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0))
    expect(waits).toEqual([760, 1510, 3010, 3760, 3760])
  })

  it('names the server that lags when the deadline is near', async () => {
    const { verifications, elapsedMs } = await verifyIn(20_000, [record], both, ({ address }) =>
      address.includes('ns2') ? old : right,
    )
    expect(verifications).toMatchObject([
      {
        problem: {
          reason: 'not-served',
          message: expect.stringMatching(/: ns2\.example\.net serves 192\.0\.2\.1\. /),
        },
      },
    ])
    expect(elapsedMs).toBeGreaterThan(15_000)
    expect(elapsedMs).toBeLessThanOrEqual(20_000)
  })

  it('waits for a silent server once per pass, however many records there are', async () => {
    const records = Array.from({ length: 50 }, (_, index) => ({
      ...record,
      hostname: `n${index}.example.com`,
    }))
    const { verifications, asked } = await verifyIn(60_000, records, both, ({ address, question }) =>
      address.includes('ns2')
        ? failure
        : response({ answers: [{ name: question.name, type: 'A', ttl: 1, data: record.address }] }),
    )
    expect(verifications.every(verification => 'problem' in verification)).toBe(true)
    expect(asked.filter(({ address }) => address.includes('ns1'))).toHaveLength(50)
  })

  it('looks up several name servers at once, since a resolver may be slow', async () => {
    const { clock } = virtualClock()
    let underWay = 0
    let most = 0
    const dns: DnsClient = {
      ask: async () => right,
      addressesOf: async () => {
        most = Math.max(most, ++underWay)
        await Promise.resolve()
        underWay--
        return { value: ['192.0.2.53'] }
      },
      nameServersOf: async () => ({ value: [] }),
    }
    const servers = Array.from({ length: 20 }, (_, index) => server(`ns${index}.example.net`))
    await verifyServed([record], servers, { dns, deadline: startDeadline(60_000, clock), clock })
    expect(most).toBeGreaterThan(10)
  })

  it('stops if its waits end early because the run was asked to stop', async () => {
    const { verifications, asked } = await verifyIn(60_000, [record], both, () => old, {}, { stopAtMs: 3000 })
    expect(verifications).toMatchObject([{ problem: { reason: 'not-served' } }])
    expect(asked.length).toBeLessThan(10)
  })
})

describe('the name servers', () => {
  const zones = { 'example.com': { value: ['ns2.example.net', 'NS1.example.net.'] } }

  it('are those of the nearest zone above the name', async () => {
    const deep = { ...record, hostname: 'a.b.example.com' }
    const answers = [{ name: deep.hostname, type: 'A' as const, ttl: 1, data: deep.address }]
    const { verifications, lookups } = await verifyIn(60_000, [deep], [], () => response({ answers }), zones)
    expect(lookups).toEqual(['a.b.example.com', 'b.example.com', 'example.com'])
    expect(verifications).toEqual([{ value: ['ns1.example.net', 'ns2.example.net'] }])
  })

  it('of a wildcard are those of its zone', async () => {
    const wildcard = { ...record, hostname: '*.example.com' }
    const { lookups } = await verifyIn(5000, [wildcard], [], () => right, zones)
    expect(lookups).toEqual(['example.com'])
  })

  it('are not looked up beyond the deadline', async () => {
    const { clock, pass } = virtualClock()
    const dns: DnsClient = {
      ask: async () => right,
      addressesOf: async () => ({ value: [] }),
      nameServersOf: async () => {
        pass(4000)
        return { value: [] }
      },
    }
    const deep = { ...record, hostname: 'a.b.c.d.e.f.example.com' }
    const context = { dns, deadline: startDeadline(10_000, clock), clock }
    expect(JSON.stringify(await verifyServed([deep], [], context))).toMatch(/: no time was left\. /)
    expect(clock.now()).toBe(12_000)
  })

  it('are looked up once for the records of a zone', async () => {
    const records = ['a.example.com', 'b.example.com', 'c.example.com'].map(hostname => ({
      ...record,
      hostname,
    }))
    const { lookups } = await verifyIn(5000, records, [], () => right, zones)
    expect(lookups).toEqual(['a.example.com', 'example.com'])
  })

  it.each([
    [
      'cannot be looked up',
      { 'home.example.com': failure },
      /home\.example\.com: no response\. Set name-servers/,
    ],
    ['do not exist', {}, /no zone above it has any/],
    ['have invalid names', { 'example.com': { value: ['ns1 example'] } }, /example\.com has .*ns1 example/],
  ])('that %s fail the record', async (_, zones, message) => {
    const { verifications, asked } = await verifyIn(5000, [record], [], () => right, zones)
    expect(verifications).toMatchObject([{ problem: { reason: 'not-served' } }])
    expect(JSON.stringify(verifications)).toMatch(message)
    expect(asked).toEqual([])
  })
})

describe('a name at the top of its zone', () => {
  it.each([
    ['alone', ['example.com']],
    ['after another name of the zone', ['home.example.com', 'example.com']],
  ])('is asked at the name servers of the zone, %s', async (_, hostnames) => {
    const records = hostnames.map(hostname => ({ ...record, hostname }))
    const zones = { 'example.com': { value: ['ns1.example.net'] } }
    const answer = ({ question: { name } }: Asked) =>
      response({ answers: [{ name, type: 'A', ttl: 60, data: record.address }] })
    const { verifications, lookups } = await verifyIn(5000, records, [], answer, zones)
    expect(verifications).toEqual(hostnames.map(() => ({ value: ['ns1.example.net'] })))
    expect(lookups).toEqual(hostnames)
  })
})
