import Cloudflare, { BadRequestError, NotFoundError, PermissionDeniedError } from 'cloudflare'
import { beforeEach, describe, expect, test } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/record.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

const client = (apiToken = sandbox.at.cloudflare.dnsToken) =>
  new Cloudflare({ apiToken, baseURL: sandbox.at.cloudflare.apiUrl })

const zone = () => ({ zone_id: sandbox.at.cloudflare.zoneId })
const unknownId = 'f'.repeat(32)

/** A record as served, against the type that the SDK gives an A record. */
type ServedA = Omit<DnsRecord, 'type' | 'comment' | 'meta' | 'tags'> & {
  type: 'A'
  // The SDK says string; the service serves null for a record without a comment.
  comment?: string
  // The SDK lists glue and shadowing; the service also serves read_only.
  meta: Cloudflare.DNS.RecordResponse.ARecord['meta']
  // The SDK's list is mutable, ours is not.
  tags: string[]
}
const servedFitsSdk = (record: ServedA): Cloudflare.DNS.RecordResponse.ARecord => record

const address = (record: Cloudflare.DNS.RecordResponse) => ('content' in record ? record.content : undefined)

describe('the official SDK', () => {
  beforeEach(() => sandbox.control('DELETE', '/journal'))

  test('lists the records of a name', async () => {
    const page = await client().dns.records.list({ ...zone(), name: { exact: 'home.example.com' } })
    expect(page.result.map(record => [record.type, record.name, address(record)])).toEqual([
      ['A', 'home.example.com', '192.0.2.10'],
    ])
  })

  test('pages to the end of a listing by itself', async () => {
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

  test('creates, reads, edits, updates and deletes a record', async () => {
    const { records } = client().dns
    const created = await records.create({
      ...zone(),
      type: 'A',
      name: 'sdk.example.com',
      ttl: 120,
      content: '192.0.2.30',
      comment: 'by the SDK',
    })
    expect(servedFitsSdk(created as ServedA).comment).toBe('by the SDK')
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

  test('knows a record that does not exist by its error class and code', async () => {
    const failure = await client()
      .dns.records.get(unknownId, zone())
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(NotFoundError)
    expect((failure as NotFoundError).errors.map(({ code }) => code)).toEqual([81044])
  })

  test('knows an unknown token, and a zone outside the scope, as denied', async () => {
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

  test('knows a malformed token as a bad request', async () => {
    await expect(client('short').dns.records.list(zone()).asResponse()).rejects.toBeInstanceOf(
      BadRequestError,
    )
  })

  test('verifies its token and reads zones', async () => {
    expect(await client().user.tokens.verify()).toMatchObject({ status: 'active' })
    const admin = client(sandbox.at.cloudflare.adminToken)
    const names = []
    for await (const { name } of admin.zones.list()) names.push(name)
    expect(names).toEqual(['example.com', 'other.example'])
    expect((await admin.zones.get(zone())).name).toBe('example.com')
    await expect(client().zones.get(zone())).rejects.toBeInstanceOf(PermissionDeniedError)
  })

  test.each([
    ['a 429 with Retry-After', { status: 429, headers: { 'retry-after': '0' }, code: 10100 }],
    ['a 503', { status: 503, headers: {}, code: 1000 }],
  ])('repeats after %s and succeeds', async (_, { status, headers, code }) => {
    const errors = [{ code, message: 'Please wait.' }]
    await sandbox.control('PUT', '/faults', {
      faults: [{ match: { method: 'GET' }, answer: { kind: 'errors', status, headers, errors } }],
    })
    const page = await client().dns.records.list({ ...zone(), name: { exact: 'home.example.com' } })
    expect(page.result).toHaveLength(1)
    expect((await sandbox.journal()).map(entry => entry.status)).toEqual([status, 200])
  })
})
