import { type Answer, encode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { askDns } from '../../../action/address/resolver.ts'
import type { DnsSource, Send } from '../../../action/address/source.ts'
import type { HttpOutcome, HttpRequest, HttpResponse } from '../../../action/exchange.ts'
import { response } from '../../support/response.ts'

const source: DnsSource = {
  kind: 'dns',
  name: 'dns:router.example.net',
  hostname: 'router.example.net',
  resolvers: ['https://a.example/dns-query', 'https://b.example/dns-query'],
  managed: ['home.example.com', '*.pool.example.com'],
}
const same = (address: string) => address

type Sent = Omit<HttpRequest, 'timeoutMs' | 'signal'>
/** What a resolver answers, by name. */
type Zone = Readonly<Record<string, readonly Answer[]>>

const a = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, data, ttl })
const alias = (name: string, data: string, ttl = 300): Answer => ({ type: 'CNAME', name, data, ttl })

/** Returns the name in a question in wire format. */
function nameIn(body: string): string {
  const bytes = Buffer.from(body, 'latin1')
  const labels: string[] = []
  for (let at = 12; bytes[at]; at += 1 + (bytes[at] ?? 0)) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + (bytes[at] ?? 0)))
  }
  return labels.join('.')
}

/** Two resolvers, which answer alike unless the second has a zone of its own. */
function resolvers(first: Zone, second = first, change: Partial<HttpResponse> = {}) {
  const sent: Sent[] = []
  const send: Send = async (request): Promise<HttpOutcome> => {
    sent.push(request)
    const name = nameIn(request.body ?? '')
    const zone = request.url.startsWith('https://a.') ? first : second
    const answers = [...(zone[name] ?? [])]
    const type = (request.body ?? '').endsWith('\x1c\0\x01') ? 'AAAA' : 'A'
    const message = encode({ type: 'response', id: 0, questions: [{ type, name }], answers })
    return response(message.toString('latin1'), { contentType: 'application/dns-message', ...change })
  }
  return { send, sent }
}

const ask = (zone: Zone, second = zone, change: Partial<HttpResponse> = {}) =>
  askDns(source, 'A', resolvers(zone, second, change).send, same)

describe('another hostname', () => {
  it('is asked of every resolver, by POST and in wire format', async () => {
    const { send, sent } = resolvers({ 'router.example.net': [a('router.example.net', '203.0.113.7')] })
    expect(await askDns(source, 'A', send, same)).toEqual({
      source: 'dns:router.example.net',
      value: '203.0.113.7',
      note: 'a.example: 203.0.113.7, cached for up to 60 s, b.example: 203.0.113.7, cached for up to 60 s',
    })
    expect(sent.map(({ url }) => url)).toEqual(source.resolvers)
    for (const { method, headers, encoding } of sent) {
      expect({ method, headers, encoding }).toEqual({
        method: 'POST',
        headers: { Accept: 'application/dns-message', 'Content-Type': 'application/dns-message' },
        encoding: 'latin1',
      })
    }
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

  it('is looked up again if a resolver returns an alias without its address', async () => {
    const zone = {
      'router.example.net': [alias('router.example.net', 'dyn.example.org')],
      'dyn.example.org': [a('dyn.example.org', '203.0.113.7')],
    }
    const { send, sent } = resolvers(zone)
    expect(await askDns(source, 'A', send, same)).toMatchObject({ value: '203.0.113.7' })
    expect(sent).toHaveLength(4)
  })

  it('has no vote if its aliases lead to a record that this run writes', async () => {
    for (const target of [
      'home.example.com',
      'HOME.example.com',
      'x.pool.example.com',
      'a.b.pool.example.com',
    ]) {
      const answers = [
        alias('router.example.net', 'between.example.org'),
        alias('between.example.org', target),
        a(target, '203.0.113.7'),
      ]
      expect(await ask({ 'router.example.net': answers })).toEqual({
        source: 'dns:router.example.net',
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
      source: 'dns:router.example.net',
      problem:
        'the resolvers differ: a.example: 203.0.113.7, cached for up to 5 s, ' +
        'b.example: 203.0.113.8, cached for up to 90 s',
      candidates: ['203.0.113.7', '203.0.113.8'],
    })
  })

  it('has no vote if only one resolver has an answer', async () => {
    const vote = await ask({ 'router.example.net': [a('router.example.net', '203.0.113.7')] }, {})
    expect(vote).toEqual({
      source: 'dns:router.example.net',
      problem: expect.stringContaining('b.example: no A record of "router.example.net"'),
    })
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
    const answers: Answer[] = [
      a('other.example.net', '203.0.113.7'),
      { type: 'AAAA', name: 'router.example.net', data: '2001:db8::7', ttl: 60 },
    ]
    expect(await ask({ 'router.example.net': answers })).toMatchObject({
      problem: expect.stringContaining('no A record of "router.example.net"'),
    })
    expect(
      await askDns(source, 'AAAA', resolvers({ 'router.example.net': answers }).send, same),
    ).toMatchObject({
      value: '2001:db8::7',
    })
  })

  it.each([
    ['in a loop', 'router.example.net', /more than 8 aliases/],
    ['to a name with a dot inside a label', 'a\\046b.example', /which is not a hostname|no A record/],
    ['to a single label', 'localhost', /leads to "localhost", which is not a hostname/],
  ])('with aliases %s has no vote', async (_, target, problem) => {
    const answers = [alias('router.example.net', target)]
    expect(await ask({ 'router.example.net': answers })).toMatchObject({
      problem: expect.stringMatching(problem),
    })
  })

  it('causes no more questions than a chain may have aliases', async () => {
    const zone = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const name = index === 0 ? 'router.example.net' : `n${index}.example.org`
        return [name, [alias(name, `n${index + 1}.example.org`)]]
      }),
    )
    const { send, sent } = resolvers(zone)
    expect(await askDns(source, 'A', send, same)).toMatchObject({
      problem: expect.stringContaining('more than 8 aliases'),
    })
    expect(sent.length).toBeLessThanOrEqual(2 * 9)
  })
})

describe('a resolver', () => {
  const zone = { 'router.example.net': [a('router.example.net', '203.0.113.7')] }
  const flagged = (flags: number) => {
    const questions = [{ type: 'A' as const, name: 'router.example.net' }]
    return { body: encode({ type: 'response', id: 0, flags, questions }).toString('latin1') }
  }

  it.each<[string, Partial<HttpResponse>, RegExp]>([
    ['with another status', { status: 503 }, /returned 503 instead of 200/],
    ['with a web page', { contentType: 'text/html' }, /a content type other than application\/dns-message/],
    ['with garbage', { body: '<html>' }, /malformed DNS message/],
    ['with nothing', { body: '' }, /malformed DNS message/],
    ['with a truncated message', flagged(0x0200), /malformed DNS message/],
    ['with SERVFAIL', flagged(2), /could not resolve the name \(SERVFAIL\)/],
    ['with NXDOMAIN', flagged(3), /knows no such name \(NXDOMAIN\)/],
    ['with REFUSED', flagged(5), /returned REFUSED/],
  ])('%s gives the name no vote', async (_, change, problem) => {
    expect(await ask(zone, zone, change)).toEqual({
      source: 'dns:router.example.net',
      problem: expect.stringMatching(problem),
    })
  })

  it('that gives no response gives the name no vote', async () => {
    const send: Send = async () => ({ kind: 'failure', cause: 'timeout', detail: 'no complete response' })
    expect(await askDns(source, 'A', send, same)).toEqual({
      source: 'dns:router.example.net',
      problem: 'a.example: no complete response, b.example: no complete response',
    })
  })
})
