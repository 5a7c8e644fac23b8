import type Cloudflare from 'cloudflare'
import { BadRequestError, NotFoundError, PermissionDeniedError } from 'cloudflare'
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
})
