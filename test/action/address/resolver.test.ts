import { describe, expect, it } from 'vitest'
import type { Send } from '../../../action/address/echo.ts'
import { countVotes } from '../../../action/address/quorum.ts'
import { askDns, type DnsSource } from '../../../action/address/resolver.ts'
import type { HttpResponse } from '../../../lib/exchange.ts'
import { recorded, response } from '../../support/response.ts'

const source: DnsSource = {
  kind: 'dns',
  name: 'dns:router.example.net',
  hostname: 'router.example.net',
  managed: ['home.example.com', '*.pool.example.com'],
}
const same = (address: string) => address

/** A record in an answer, with its type as a number. */
interface Answer {
  readonly name: string
  readonly type: number
  readonly TTL: number
  readonly data: string
}
/** What a resolver answers, by name. */
type Zone = Readonly<Record<string, readonly Answer[]>>

const a = (name: string, data: string, TTL = 60): Answer => ({ name, type: 1, TTL, data })
const alias = (name: string, data: string, TTL = 300): Answer => ({ name, type: 5, TTL, data })

/** What resolvers answer to a question, as JSON. */
const answered = (name: string, type: string, fields: object = {}) => ({
  Status: 0,
  TC: false,
  RD: true,
  RA: true,
  AD: false,
  CD: false,
  Question: [{ name, type: type === 'A' ? 1 : 28 }],
  ...fields,
})

/** Two resolvers, which answer alike unless the second has a zone of its own. */
const resolvers = (first: Zone, second = first, change: Partial<HttpResponse> = {}) =>
  recorded<Parameters<Send>[0]>(({ url }) => {
    const question = new URL(url).searchParams
    const name = question.get('name') ?? ''
    const zone = url.startsWith('https://cloudflare-dns.com') ? first : second
    const body = answered(name, question.get('type') ?? '', { Answer: zone[name] })
    return response(body, { contentType: 'application/dns-json', ...change })
  })

const ask = (zone: Zone, second = zone, change: Partial<HttpResponse> = {}) =>
  askDns(source, 'A', resolvers(zone, second, change).exchange, same)

describe('another hostname', () => {
  it('is asked of every resolver, and answered as JSON', async () => {
    const { exchange, sent } = resolvers({ 'router.example.net': [a('router.example.net', '203.0.113.7')] })
    expect(await askDns(source, 'A', exchange, same)).toEqual({
      value: '203.0.113.7',
      note: 'cloudflare-dns.com: 203.0.113.7, cached for up to 60 s, dns.google: 203.0.113.7, cached for up to 60 s',
    })
    const question = '?name=router.example.net&type=A'
    expect(sent.map(({ url }) => url)).toEqual([
      `https://cloudflare-dns.com/dns-query${question}`,
      `https://dns.google/resolve${question}`,
    ])
    for (const { method, headers } of sent) {
      expect({ method, headers }).toEqual({
        method: 'GET',
        headers: { Accept: 'application/dns-json, application/json', 'Cache-Control': 'no-cache' },
      })
    }
  })

  it('is read as Google writes it: with final dots, and as plain JSON', async () => {
    const dotted = [alias('Router.example.net.', 'host.example.org.'), a('host.example.org.', '203.0.113.7')]
    const body = answered('router.example.net.', 'A', { Answer: dotted, Comment: 'Response from 192.0.2.1.' })
    const change = { body: JSON.stringify(body), contentType: 'application/json' }
    expect(await ask({}, {}, change)).toMatchObject({ value: '203.0.113.7' })
  })

  it('may be an alias, and has the shortest TTL of the chain', async () => {
    const answers = [
      alias('router.example.net', 'Dyn.Example.org', 20),
      alias('dyn.example.org', 'host.example.org'),
      a('host.example.org', '203.0.113.7', 3600),
    ]
    expect(await ask({ 'router.example.net': answers })).toMatchObject({
      value: '203.0.113.7',
      note: expect.stringContaining('via "dyn.example.org", "host.example.org", cached for up to 20 s'),
    })
  })

  it('has no vote if its aliases lead to a record that this run writes', async () => {
    for (const target of ['HOME.example.com', 'a.b.pool.example.com']) {
      const answers = [
        alias('router.example.net', 'between.example.org'),
        alias('between.example.org', target),
        a(target, '203.0.113.7'),
      ]
      expect(await ask({ 'router.example.net': answers })).toEqual({
        problem: expect.stringMatching(/leads to (home|\*\.pool)\.example\.com, which this run writes/),
      })
    }
    const beside = [alias('router.example.net', 'pool.example.com'), a('pool.example.com', '203.0.113.7')]
    expect(await ask({ 'router.example.net': beside })).toMatchObject({ value: '203.0.113.7' })
  })

  it('has no vote if the resolvers differ, and both are shown', async () => {
    const vote = await ask(
      { 'router.example.net': [a('router.example.net', '203.0.113.7', 5)] },
      { 'router.example.net': [a('router.example.net', '203.0.113.8', 90)] },
    )
    expect(vote).toEqual({
      problem:
        'the resolvers differ: cloudflare-dns.com: 203.0.113.7, cached for up to 5 s, ' +
        'dns.google: 203.0.113.8, cached for up to 90 s',
      candidates: ['203.0.113.7', '203.0.113.8'],
    })
  })

  it('has no vote if only one resolver has an address, which could be forged', async () => {
    const zone = { 'router.example.net': [a('router.example.net', '203.0.113.7')] }
    for (const vote of [await ask(zone, {}), await ask({}, zone)])
      expect(vote).toEqual({ problem: expect.stringMatching(/: no A record of "router\.example\.net"/) })
  })

  it('has no vote with several addresses, but counts a repeated one once', async () => {
    const two = [a('router.example.net', '203.0.113.7'), a('router.example.net', '203.0.113.8')]
    expect(await ask({ 'router.example.net': two })).toMatchObject({
      problem: expect.stringContaining('2 addresses (203.0.113.7, 203.0.113.8)'),
      candidates: expect.anything(),
    })
    const twice = [a('router.example.net', '203.0.113.7'), a('router.example.net', '203.0.113.7')]
    expect(await ask({ 'router.example.net': twice })).toMatchObject({ value: '203.0.113.7' })
  })

  it('ignores addresses of other names and types', async () => {
    const answers = [
      a('other.example.net', '203.0.113.7'),
      { ...a('router.example.net', '2001:DB8:0::7'), type: 28 },
      { ...a('router.example.net', 'a signature'), type: 46 },
    ]
    expect(await ask({ 'router.example.net': answers })).toMatchObject({
      problem: expect.stringContaining('no A record of "router.example.net"'),
    })
    const { exchange } = resolvers({ 'router.example.net': answers })
    expect(await askDns(source, 'AAAA', exchange, same)).toMatchObject({ value: '2001:db8::7' })
  })

  it.each([
    ['in a loop', 'router.example.net', /more than 8 aliases/],
    ['to a single label', 'localhost', /leads to "localhost", which is not a hostname/],
  ])('with aliases %s has no vote', async (_, target, problem) => {
    const answers = [alias('router.example.net', target)]
    expect(await ask({ 'router.example.net': answers })).toMatchObject({
      problem: expect.stringMatching(problem),
    })
  })
})

describe('a resolver', () => {
  const record = a('router.example.net', '203.0.113.7')
  const zone = { 'router.example.net': [record] }
  const saying = (fields: object) => ({
    body: JSON.stringify(answered('router.example.net', 'A', { Answer: [record], ...fields })),
  })

  it.each<[string, Partial<HttpResponse>, RegExp]>([
    ['with another status', { status: 503 }, /returned 503 instead of 200/],
    ['with a web page', { contentType: 'text/html' }, /did not return JSON/],
    ['with a truncated answer', saying({ TC: true }), /malformed JSON/],
    ['without a question', saying({ Question: [] }), /malformed JSON/],
    ['with another name', saying({ Question: [{ name: 'other.example.net', type: 1 }] }), /malformed JSON/],
    ['with another type', saying({ Question: [{ name: 'router.example.net', type: 28 }] }), /malformed JSON/],
    ['with an answer that is no record', saying({ Answer: [record, null] }), /malformed JSON/],
    ['with a negative ttl', saying({ Answer: [{ ...record, TTL: -1 }] }), /malformed JSON/],
    ['with a malformed address', saying({ Answer: [{ ...record, data: '203.0.113.07' }] }), /malformed JSON/],
    ['with SERVFAIL', saying({ Status: 2 }), /could not resolve the name \(SERVFAIL\)/],
    ['with another code', saying({ Status: 9 }), /returned the error code 9/],
  ])('%s gives the name no vote', async (_, change, problem) => {
    expect(await ask(zone, zone, change)).toMatchObject({
      problem: expect.stringMatching(problem),
    })
  })

  it('that a network blocks is reported with what to use instead', async () => {
    const vote = await ask(zone, zone, { status: 400 })
    expect(countVotes([{ source: source.name, ...vote }])).toEqual({
      problem: {
        reason: 'address-unavailable',
        message: expect.stringMatching(
          /returned 400 .*; if this network blocks DNS over HTTPS, use another address source/,
        ),
      },
    })
  })
})
