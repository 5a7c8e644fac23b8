import Cloudflare, {
  APIConnectionError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'cloudflare'
import { beforeEach, describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'
import { sdkClient } from './sdk-client.ts'

const sandbox = runSandbox()

const client = (apiToken = sandbox.at.cloudflare.dnsToken) => sdkClient(sandbox, apiToken)

const zone = () => ({ zone_id: sandbox.at.cloudflare.zoneId })
const unknownId = 'f'.repeat(32)

const address = (record: Cloudflare.DNS.RecordResponse) => ('content' in record ? record.content : undefined)

describe('the official SDK', () => {
  beforeEach(() => sandbox.control('DELETE', '/journal'))

  it('lists records by name', async () => {
    const page = await client().dns.records.list({ ...zone(), name: { exact: 'home.example.com' } })
    expect(page.result.map(record => [record.type, record.name, address(record)])).toEqual([
      ['A', 'home.example.com', '192.0.2.10'],
    ])
  })

  it('pages through a list to its end', async () => {
    const names = Array.from({ length: 7 }, (_, at) => `page${at}.example.com`)
    for (const name of names) await sandbox.create({ type: 'A', name, content: '192.0.2.1' })
    const seen: string[] = []
    for await (const record of client().dns.records.list({ ...zone(), type: 'A', per_page: 3 })) {
      seen.push(record.name)
    }
    expect(seen).toEqual(['home.example.com', ...names])
    const lists = (await sandbox.journal()).filter(({ method }) => method === 'GET')
    expect(lists.map(({ query }) => new URLSearchParams(query).get('page') ?? '1')).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
  })

  it('creates, reads, edits, updates and deletes a record', async () => {
    const { records } = client().dns
    const created = await records.create({
      ...zone(),
      type: 'A',
      name: 'sdk.example.com',
      ttl: 120,
      content: '192.0.2.30',
      comment: 'by the SDK',
    })
    expect(created.comment).toBe('by the SDK')
    expect(await records.get(created.id, zone())).toEqual(created)

    const edited = await records.edit(created.id, {
      ...zone(),
      type: 'A',
      name: 'sdk.example.com',
      ttl: 300,
    })
    expect(edited).toMatchObject({ ttl: 300, content: '192.0.2.30', comment: 'by the SDK' })

    const updated = await records.update(created.id, {
      ...zone(),
      type: 'A',
      name: 'sdk.example.com',
      ttl: 120,
      content: '192.0.2.31',
      proxied: false,
    })
    expect(updated).toMatchObject({ id: created.id, content: '192.0.2.31', comment: null })

    expect(await records.delete(created.id, zone())).toEqual({ id: created.id })
    await expect(records.get(created.id, zone())).rejects.toBeInstanceOf(NotFoundError)
  })

  it('reports a record that does not exist as NotFoundError with its code', async () => {
    const failure = await client()
      .dns.records.get(unknownId, zone())
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(NotFoundError)
    expect((failure as NotFoundError).errors.map(({ code }) => code)).toEqual([81044])
  })

  it('reports an unknown token and a zone out of scope as PermissionDeniedError', async () => {
    await expect(client('a'.repeat(40)).dns.records.list(zone()).asResponse()).rejects.toBeInstanceOf(
      PermissionDeniedError,
    )
    const failure = await client()
      .dns.records.list({ zone_id: unknownId })
      .asResponse()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(PermissionDeniedError)
    expect((failure as PermissionDeniedError).errors.map(({ code }) => code)).toEqual([10000])
  })

  it('reports a malformed token as BadRequestError', async () => {
    await expect(client('short').dns.records.list(zone()).asResponse()).rejects.toBeInstanceOf(
      BadRequestError,
    )
  })

  it('verifies its token and reads zones', async () => {
    expect(await client().user.tokens.verify()).toMatchObject({ status: 'active' })
    const admin = client(sandbox.at.cloudflare.adminToken)
    const zones = []
    for await (const { id, name } of admin.zones.list()) zones.push({ id, name })
    expect(zones).toMatchObject([{ name: 'example.com' }, { name: 'other.example' }])
    expect((await admin.zones.get(zone())).name).toBe('example.com')
    expect((await client().zones.get(zone())).name).toBe('example.com')
    const other = client().zones.get({ zone_id: zones[1]?.id ?? '' })
    await expect(other).rejects.toBeInstanceOf(PermissionDeniedError)
  })

  it('runs a batch', async () => {
    const { records } = client().dns
    const made = await records.batch({
      ...zone(),
      posts: [
        { type: 'A', name: 'batch-a.example.com', content: '192.0.2.40', ttl: 120 },
        { type: 'MX', name: 'batch-b.example.com', content: 'mx.example.com', priority: 10, ttl: 120 },
      ],
    })
    const [a, mx] = made.posts ?? []
    const changed = await records.batch({
      ...zone(),
      deletes: [{ id: mx?.id ?? '' }],
      patches: [{ id: a?.id ?? '', type: 'A', name: 'batch-a.example.com', ttl: 300 }],
      puts: [],
    })
    expect(changed).toMatchObject({
      deletes: [{ id: mx?.id }],
      patches: [{ ttl: 300, content: '192.0.2.40' }],
    })
    const refused = records.batch({ ...zone(), deletes: [{ id: a?.id ?? '' }, { id: unknownId }] })
    await expect(refused).rejects.toBeInstanceOf(NotFoundError)
    expect(await records.get(a?.id ?? '', zone())).toMatchObject({ ttl: 300 })
  })

  it('creates and reads every record type', async () => {
    const common = { ...zone(), ttl: 120, name: 'types.example.com' }
    const written = [
      await client().dns.records.create({ ...common, type: 'AAAA', content: '2001:db8::1' }),
      await client().dns.records.create({ ...common, type: 'TXT', content: 'text' }),
      await client().dns.records.create({ ...common, type: 'MX', content: 'mx.example.com', priority: 5 }),
      await client().dns.records.create({
        ...common,
        type: 'CAA',
        data: { flags: 0, tag: 'issue', value: 'ca.example.net' },
      }),
      await client().dns.records.create({
        ...common,
        type: 'SRV',
        name: '_sip._tcp.types.example.com',
        data: { priority: 1, weight: 2, port: 3, target: 'sip.example.com' },
      }),
      await client().dns.records.create({
        ...common,
        type: 'HTTPS',
        data: { priority: 1, target: '.', value: 'alpn="h3"' },
      }),
      await client().dns.records.create({
        ...common,
        type: 'NS',
        name: 'ns.types.example.com',
        content: 'ns.example.net',
      }),
      await client().dns.records.create({
        ...common,
        type: 'CNAME',
        name: 'c.types.example.com',
        content: 'a.example.net',
      }),
    ]
    for (const record of written) expect(await client().dns.records.get(record.id, zone())).toEqual(record)
  })

  it('filters and sorts records by every parameter it supports', async () => {
    const { zoneId } = sandbox.at.cloudflare
    await sandbox.control('PUT', '/state', { records: { [zoneId]: [] } })
    await sandbox.create({ type: 'A', name: 'home', content: '192.0.2.10' })
    await sandbox.create({
      type: 'A',
      name: 'one',
      content: '192.0.2.51',
      comment: 'first of two',
      tags: ['kind:test'],
      ttl: 60,
    })
    await sandbox.create({ type: 'TXT', name: 'two', content: 'words', ttl: 900 })
    const found = async (query: Omit<Cloudflare.DNS.RecordListParams, 'zone_id'>) =>
      (await client().dns.records.list({ ...zone(), ...query })).result.map(({ name }) => name.split('.')[0])
    expect(await found({ name: { contains: 'n' } })).toEqual(['one'])
    expect(await found({ name: { startswith: 'tw' } })).toEqual(['two'])
    expect(await found({ name: { endswith: 'home.example.com' } })).toEqual(['home'])
    expect(await found({ content: { exact: 'words' } })).toEqual(['two'])
    expect(await found({ content: { contains: '.51' } })).toEqual(['one'])
    expect(await found({ content: { startswith: '192' } })).toEqual(['home', 'one'])
    expect(await found({ content: { endswith: '10' } })).toEqual(['home'])
    expect(await found({ comment: { present: '' } })).toEqual(['one'])
    expect(await found({ comment: { absent: '' } })).toEqual(['home', 'two'])
    expect(await found({ comment: { exact: 'FIRST of two' } })).toEqual(['one'])
    expect(await found({ comment: { contains: 'of' } })).toEqual(['one'])
    expect(await found({ comment: { startswith: 'first' } })).toEqual(['one'])
    expect(await found({ comment: { endswith: 'two' } })).toEqual(['one'])
    expect(await found({ tag: { present: 'kind' } })).toEqual(['one'])
    expect(await found({ tag: { absent: 'kind' } })).toEqual(['home', 'two'])
    expect(await found({ tag: { exact: 'kind:test' } })).toEqual(['one'])
    expect(await found({ tag: { contains: 'kind:es' } })).toEqual(['one'])
    expect(await found({ tag: { startswith: 'kind:t' } })).toEqual(['one'])
    expect(await found({ tag: { endswith: 'kind:t' } })).toEqual(['one'])
    expect(await found({ proxied: false, type: 'TXT' })).toEqual(['two'])
    expect(await found({ search: 'words' })).toEqual(['two'])
    expect(await found({ match: 'any', type: 'TXT', name: { exact: 'home.example.com' } })).toEqual([
      'home',
      'two',
    ])
    expect(await found({ tag: { present: 'kind', absent: 'kind' }, tag_match: 'any' })).toHaveLength(3)
    expect(await found({ order: 'ttl', direction: 'desc' })).toEqual(['two', 'home', 'one'])
    expect(await found({ include_shadow_metadata: true, shadowed_by_name: 'sub.example.com' })).toEqual([])
    expect(await found({ shadowing_name: 'sub.example.com' })).toEqual([])
  })

  it('filters zones by the parameters it supports', async () => {
    const admin = client(sandbox.at.cloudflare.adminToken)
    const found = async (query: Cloudflare.Zones.ZoneListParams) =>
      (await admin.zones.list(query)).result.map(({ name }) => name)
    expect(await found({ name: 'contains:other' })).toEqual(['other.example'])
    expect(await found({ account: { id: sandbox.at.cloudflare.accountId }, status: 'active' })).toHaveLength(
      2,
    )
    expect(await found({ order: 'name', direction: 'desc', type: ['full'] })).toEqual([
      'other.example',
      'example.com',
    ])
    expect(await found({ account: { name: 'nobody' }, match: 'all' })).toEqual([])
  })

  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [429, RateLimitError],
    [500, InternalServerError],
  ])('reports status %d as its own error class, with the codes', async (status, ErrorClass) => {
    const errors = [{ code: 1234, message: 'No.' }]
    await sandbox.control('PUT', '/faults', {
      faults: [{ match: { method: 'GET' }, answer: { kind: 'errors', status, errors } }],
    })
    const once = new Cloudflare({
      apiToken: sandbox.at.cloudflare.dnsToken,
      baseURL: sandbox.at.cloudflare.apiUrl,
      maxRetries: 0,
    })
    const failure = await once.dns.records.list(zone()).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(ErrorClass)
    expect((failure as BadRequestError).errors).toMatchObject(errors)
  })

  it('reports a reset connection as APIConnectionError', async () => {
    await sandbox.control('PUT', '/faults', {
      faults: [{ match: {}, times: null, answer: { kind: 'reset' } }],
    })
    await expect(client().dns.records.list({ ...zone() }, { maxRetries: 0 })).rejects.toBeInstanceOf(
      APIConnectionError,
    )
    await sandbox.control('PUT', '/faults', { faults: [] })
  })

  it('waits for retry-after and succeeds', async () => {
    await sandbox.control('PUT', '/limits', { enforce: true, used: 1200 })
    expect((await sandbox.api('GET', sandbox.records)).status).toBe(429)
    await sandbox.control('PUT', '/clock', { advanceMs: 299_000 })
    const { status } = await client().dns.records.list(zone()).asResponse()
    await sandbox.control('PUT', '/limits', { enforce: false })
    expect(status).toBe(200)
    expect((await sandbox.journal()).map(entry => entry.status)).toEqual([429, 429, 200])
  })

  it.each([
    ['a 429 with Retry-After', { status: 429, headers: { 'retry-after': '0' }, code: 10100 }],
    ['a 503', { status: 503, headers: {}, code: 1000 }],
  ])('retries after %s and succeeds', async (_, { status, headers, code }) => {
    const errors = [{ code, message: 'Please wait.' }]
    await sandbox.control('PUT', '/faults', {
      faults: [{ match: { method: 'GET' }, answer: { kind: 'errors', status, headers, errors } }],
    })
    const page = await client().dns.records.list({ ...zone(), name: { exact: 'home.example.com' } })
    expect(page.result).toHaveLength(1)
    expect((await sandbox.journal()).map(entry => entry.status)).toEqual([status, 200])
  })
})
