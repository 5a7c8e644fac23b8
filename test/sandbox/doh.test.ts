import { type DecodedPacket, decode, encode } from 'dns-packet'
import { beforeAll, describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

const wire = 'application/dns-message'

beforeAll(async () => {
  await sandbox.create({ type: 'CNAME', name: 'www', content: 'home.example.com' })
  await sandbox.create({ type: 'MX', name: 'mail', content: 'home.example.com', priority: 10 })
})

/** The fields of a JSON answer that the tests check. */
interface DnsJson {
  Status: number
  Answer?: { name: string; type: number; data: string }[]
}

const message = (name: string) =>
  encode({ type: 'query', id: 0, flags: 0x100, questions: [{ name, type: 'A' }] })

describe.each([0, 1])('resolver %i', instance => {
  const url = () => sandbox.at.doh[instance] ?? ''
  async function json(query: string) {
    const response = await fetch(`${url()}?${query}`, { headers: { accept: 'application/dns-json' } })
    expect(response.headers.get('content-type')).toBe('application/dns-json')
    return (await response.json()) as DnsJson
  }

  it.each(['GET', 'POST'])('answers a wire-format query by %s', async method => {
    const query = message('HOME.example.com')
    const response =
      method === 'GET'
        ? await fetch(`${url()}?dns=${query.toString('base64url')}`, { headers: { accept: wire } })
        : await fetch(url(), { method, headers: { 'content-type': wire }, body: new Uint8Array(query) })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(wire)
    expect(response.headers.get('cache-control')).toBe('max-age=120')
    const reply = decode(Buffer.from(await response.arrayBuffer())) as DecodedPacket & { rcode: string }
    expect(reply).toMatchObject({ rcode: 'NOERROR', flag_aa: false, flag_ra: true, flag_rd: true })
    expect(reply.answers).toMatchObject([
      { name: 'HOME.example.com', type: 'A', data: '192.0.2.10', ttl: 120 },
    ])
  })

  it('answers in JSON, follows a CNAME, and takes types by name or number', async () => {
    expect(await json('name=www.example.com')).toEqual({
      Status: 0,
      TC: false,
      RD: true,
      RA: true,
      AD: false,
      CD: false,
      Question: [{ name: 'www.example.com', type: 1 }],
      Answer: [
        { name: 'www.example.com', type: 5, TTL: 120, data: 'home.example.com' },
        { name: 'home.example.com', type: 1, TTL: 120, data: '192.0.2.10' },
      ],
    })
    expect((await json('name=example.com.&type=txt')).Answer).toMatchObject([{ data: '"v=spf1 -all"' }])
    expect((await json('name=mail.example.com&type=15')).Answer).toMatchObject([
      { data: '10 home.example.com' },
    ])
    for (const type of ['https', '65', 'svcb', 'ds', 'ANY']) {
      expect((await json(`name=mail.example.com&type=${type}`)).Status).toBe(0)
    }
  })

  it('returns the SOA for missing names, and fails for other zones', async () => {
    const missing = await json('name=missing.example.com&type=A')
    expect(missing).toMatchObject({ Status: 3, Authority: [{ name: 'example.com', type: 6 }] })
    expect(missing).not.toHaveProperty('Answer')
    expect(await json('name=home.example.com&type=AAAA')).toMatchObject({ Status: 0 })
    expect(await json('name=example.net')).toMatchObject({ Status: 2 })
  })

  it.each([
    ['GET', '', undefined, undefined, 400],
    ['GET', '?name=', undefined, undefined, 400],
    ['GET', '?name=example.com&type=BOGUS', undefined, undefined, 400],
    ['GET', '?name=example.com&type=', undefined, undefined, 400],
    ['GET', '?name=example.com&type=UNKNOWN_1', undefined, undefined, 400],
    ['GET', '?name=example.com&type=0', undefined, undefined, 400],
    ['GET', '?name=example.com&type=65280', undefined, undefined, 400],
    ['GET', '?name=example.com&type=70000', undefined, undefined, 400],
    ['GET', '?dns=AA', undefined, undefined, 400],
    ['POST', '', wire, 'x', 400],
    ['POST', '', 'text/plain', 'x', 415],
    ['PUT', '', wire, 'x', 405],
  ])('refuses %s %s with type %s', async (method, query, type, body, status) => {
    const response = await fetch(`${url()}${query}`, {
      method,
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      ...(body === undefined ? {} : { body }),
    })
    expect(response.status).toBe(status)
  })
})

it('a resolver lags exactly when its name server does', async () => {
  const { id } = await sandbox.create({ type: 'A', name: 'late', content: '192.0.2.70' })
  const effect = { kind: 'stale', forMs: 60_000, of: 'dns', servers: [1] }
  await sandbox.control('PUT', '/faults', {
    faults: [{ match: { method: 'PATCH', path: `${id}$` }, effect }],
  })
  await sandbox.api('PATCH', `${sandbox.records}/${id}`, { body: { content: '192.0.2.71' } })
  const addresses = sandbox.at.doh.map(async url => {
    const { Answer = [] } = (await (await fetch(`${url}?name=late.example.com`)).json()) as DnsJson
    return Answer.map(({ data }) => data)
  })
  expect(await Promise.all(addresses)).toEqual([['192.0.2.71'], ['192.0.2.70']])
  await sandbox.control('PUT', '/clock', { advanceMs: 60_001 })
  const later = (await (await fetch(`${sandbox.at.doh[1]}?name=late.example.com`)).json()) as DnsJson
  expect(later.Answer).toMatchObject([{ data: '192.0.2.71' }])
})

it('the journal shows the question to a resolver', async () => {
  await fetch(sandbox.at.doh[1] ?? '', {
    method: 'POST',
    headers: { 'content-type': wire },
    body: new Uint8Array(message('home.example.com')),
  })
  expect((await sandbox.journal()).at(-1)).toMatchObject({
    service: 'doh',
    instance: 1,
    body: 'home.example.com A',
    ledger: ['doh.wire', 'dns.answer'],
  })
})
