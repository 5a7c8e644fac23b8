import { describe, expect, it } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const item = (id: string) => `${sandbox.records}/${id}`
const full = {
  type: 'A',
  name: 'full.example.com',
  content: '192.0.2.1',
  ttl: 120,
  proxied: true,
  comment: 'kept by hand',
  tags: ['team:dns', 'home'],
  settings: { ipv4_only: true },
}

describe('a record', () => {
  it('has its id first, the current fields in order, and null as empty comment', async () => {
    const { text } = await sandbox.api('GET', `${sandbox.records}?name=home.example.com`)
    expect(text).toMatch(/^{"success":true,"errors":\[\],"messages":\[\],"result":\[{"id":"[0-9a-f]{32}",/)
    const record = await sandbox.home()
    expect(Object.keys(record)).toEqual(
      'id name type content proxiable proxied ttl settings meta comment tags created_on modified_on'.split(
        ' ',
      ),
    )
    expect(record).toMatchObject({
      name: 'home.example.com',
      type: 'A',
      content: '192.0.2.10',
      proxiable: true,
      proxied: false,
      ttl: 120,
      settings: {},
      meta: {},
      comment: null,
      tags: [],
    })
    expect(record.created_on).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z$/)
  })

  it('loses every field that a PUT omits', async () => {
    const { id, created_on } = await sandbox.create(full)
    const { body } = await sandbox.api<DnsRecord>('PUT', item(id), {
      body: { type: 'A', name: full.name, content: '192.0.2.2', ttl: 120 },
    })
    expect(body.result).toMatchObject({
      id,
      content: '192.0.2.2',
      proxied: false,
      comment: null,
      tags: [],
      settings: {},
      created_on,
    })
    expect(body.result.modified_on > created_on).toBe(true)
    expect(await sandbox.named(full.name)).toEqual([body.result])
  })

  it('keeps every field that a PATCH omits, and can change its type', async () => {
    const record = await sandbox.create({ ...full, name: 'patched' })
    const { body } = await sandbox.api<DnsRecord>('PATCH', item(record.id), {
      body: { content: '192.0.2.9' },
    })
    expect(body.result).toEqual({
      ...record,
      content: '192.0.2.9',
      modified_on: body.result.modified_on,
    })
    const retyped = await sandbox.api<DnsRecord>('PATCH', item(record.id), {
      body: { type: 'AAAA', content: '2001:DB8::9' },
    })
    expect(retyped.body.result).toMatchObject({ id: record.id, type: 'AAAA', content: '2001:db8::9' })
  })

  it.each([
    ['a full name', 'Name-A.Example.COM', 'name-a.example.com'],
    ['a relative name', 'name-b', 'name-b.example.com'],
    ['a Unicode name', 'bücher.example.com', 'xn--bcher-kva.example.com'],
    ['a trailing dot', 'name-c.example.com.', 'name-c.example.com'],
    ['an underscore', '_acme-challenge.name', '_acme-challenge.name.example.com'],
    ['a wildcard', '*.name', '*.name.example.com'],
    ['the apex', '@', 'example.com'],
  ])('stores %s in lower case and Punycode, with its zone', async (_, sent, stored) => {
    expect(await sandbox.create({ type: 'A', name: sent, content: '192.0.2.3' })).toMatchObject({
      name: stored,
    })
  })
})
