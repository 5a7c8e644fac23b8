import { describe, expect, it } from 'vitest'
import { differences, lostFields, type Plan, reconcile } from '../../action/reconcile.ts'
import { parseRecord, whyIncomplete } from '../../action/records/envelope.ts'
import type { DnsRecord, Wanted } from '../../action/records/record.ts'
import { parseEnvelope } from '../../lib/cloudflare.ts'
import { fields as body, readRecord, shownRecord } from './records/api.ts'

const wanted: Wanted = {
  hostname: 'home.example.com',
  type: 'A',
  address: '203.0.113.7',
  ttl: 120,
  proxied: false,
  onDrift: 'warn',
  create: false,
}

/** A record with another address than is wanted. */
const record = (other: Partial<DnsRecord> = {}) => ({ ...readRecord, content: '192.0.2.1', ...other })

describe('reconciling', () => {
  it('plans the five fields, and carries over comment, tags, settings and private routing', () => {
    expect(reconcile([record()], wanted)).toEqual({ kind: 'update', record: record(), body, drift: [] })
    const mine = { comment: 'the attic', tags: ['owner:me'], settings: { ipv4_only: true } }
    expect(reconcile([record({ ...mine, privateRouting: false })], wanted)).toMatchObject({
      body: { ...body, ...mine, private_routing: false },
    })
  })

  it.each([
    ['an A record of another name', { name: 'other.example.com' }],
    ['a TXT record', { type: 'TXT' }],
  ])('never chooses %s', (_, fields) => {
    expect(reconcile([record(fields)], wanted)).toMatchObject({ problem: { reason: 'record-missing' } })
  })

  it('refuses two A records, a CNAME and a managed record', () => {
    const second = record({ id: 'f'.repeat(32), content: '192.0.2.2' })
    const reasonOf = (plan: Plan) => plan.kind === 'refuse' && plan.problem.reason
    expect(reasonOf(reconcile([record(), second], wanted))).toBe('record-ambiguous')
    expect(reasonOf(reconcile([record({ type: 'CNAME' })], { ...wanted, create: true }))).toBe(
      'record-conflict',
    )
    expect(reasonOf(reconcile([record({ readOnly: true })], wanted))).toBe('record-read-only')
  })

  it('creates only if create is set, even beside other types', () => {
    expect(reconcile([], wanted)).toMatchObject({
      problem: { message: expect.stringContaining('home.example.com has no record in this zone') },
    })
    const texts = [record({ type: 'TXT' }), record({ type: 'TXT' }), record({ type: 'MX' })]
    expect(reconcile(texts, wanted)).toMatchObject({
      problem: { message: expect.stringContaining('has no A record, only "TXT", "MX" in this zone') },
    })
    expect(reconcile(texts, { ...wanted, create: true })).toMatchObject({ kind: 'create', body })
  })

  it('reports drift, and repairs it only if on-drift is repair', () => {
    const drifted = record({ content: wanted.address, ttl: 300, proxied: false })
    const drift = [{ field: 'ttl', found: 300, wanted: 120 }]
    expect(reconcile([drifted], wanted)).toMatchObject({ kind: 'unchanged', drift })
    expect(reconcile([drifted], { ...wanted, onDrift: 'repair' })).toMatchObject({ kind: 'update', drift })
    expect(reconcile([record({ content: wanted.address, proxied: true, ttl: 1 })], wanted)).toMatchObject({
      drift: [
        { field: 'ttl', found: 1, wanted: 120 },
        { field: 'proxied', found: true, wanted: false },
      ],
    })
  })

  it('keeps the ttl and the proxy of a record if they are not set, and proxies no new one', () => {
    const rules = { ...wanted, ttl: null, proxied: null, onDrift: 'repair' } as const
    const proxied = record({ ttl: 1, proxied: true })
    expect(reconcile([proxied], rules)).toMatchObject({ body: { ttl: 1, proxied: true }, drift: [] })
    expect(reconcile([{ ...proxied, content: wanted.address }], rules)).toMatchObject({ kind: 'unchanged' })
    expect(reconcile([proxied], { ...rules, ttl: 120 })).toMatchObject({
      body: { ttl: 120, proxied: true },
      drift: [],
    })
    expect(reconcile([], { ...rules, ttl: 120, create: true })).toMatchObject({ kind: 'create', body })
  })

  it('finds no drift in the ttl of a proxied record, which the service stores as 1', () => {
    const proxied = record({ content: wanted.address, ttl: 1, proxied: true })
    expect(reconcile([proxied], { ...wanted, proxied: true, onDrift: 'repair' })).toMatchObject({
      kind: 'unchanged',
      drift: [],
    })
  })
})

it.each([
  ['id', { id: 'f'.repeat(32) }],
  ['type', { type: 'AAAA' }],
  ['name', { name: 'other.example.com' }],
  ['content', { content: '203.0.113.8' }],
  ['ttl', { ttl: 300 }],
  ['proxied', { proxied: true, ttl: 120 }],
])('comparing a response finds another %s', (field, fields) => {
  const found = differences({ ...readRecord, ...fields }, body, readRecord.id)
  expect(found.map(difference => difference.field)).toContain(field)
})

describe('comparing what a write carries over', () => {
  const noted = record({
    comment: 'the attic',
    tags: ['Owner:me', 'prod'],
    settings: { ipv4_only: true, x: false },
    privateRouting: true,
  })

  it.each<[string, Partial<DnsRecord>]>([
    ['other tags first, their names in other letters', { tags: ['PROD', 'owner:me'] }],
    ['a setting that is off', { settings: { x: null, ipv6_only: false, ipv4_only: true } }],
    ['a setting that nobody knew', { settings: { ipv4_only: true, added_later: 'auto' } }],
  ])('finds no loss in %s', (_, fields) => {
    expect(lostFields({ ...noted, ...fields }, noted)).toEqual([])
  })

  it.each<[string, Partial<DnsRecord>, found: string, sent: string]>([
    ['comment', { comment: null }, '', 'the attic'],
    ['tags', { tags: [] }, '', 'owner:me, prod'],
    ['tags', { tags: ['owner:Me', 'prod'] }, 'owner:Me, prod', 'owner:me, prod'],
    ['settings', { settings: {} }, '{}', '{"ipv4_only":true}'],
    ['private_routing', { privateRouting: null }, 'false', 'true'],
  ])('finds that %s was lost or changed', (field, fields, found, sent) => {
    expect(lostFields({ ...noted, ...fields }, noted)).toEqual([{ field, found, sent: JSON.stringify(sent) }])
  })
})

describe('reading a response', () => {
  const { id } = shownRecord

  it('reads errors in both forms that the service uses', () => {
    const flat = '{"success":false,"errors":[{"code":9005,"message":"m"}],"result":null}'
    const chained =
      '{"success":false,"errors":[{"code":1004,"message":"v","error_chain":[{"code":9005,"message":"m"}]}]}'
    expect(parseEnvelope(flat)?.errors.map(error => error.code)).toEqual([9005])
    expect(parseEnvelope(chained)?.errors.map(error => error.code)).toEqual([1004, 9005])
  })

  const deep = `{"success":true,"result":${'['.repeat(32)}${']'.repeat(32)}}`

  it.each(['', '<html>', 'null', '[]', '"x"', '{}', '{"success":"true"}', '{"success":true', deep])(
    'refuses %j',
    body => {
      expect(parseEnvelope(body)).toBeNull()
    },
  )

  it.each([
    {},
    { page: 1, per_page: 100, count: 2, total_count: 2, total_pages: 1 },
    { page: 1, total_count: 2, cached: true, region: 'weur' },
    { page: 1, per_page: 2, total_count: 2 },
  ])('accepts a list with result_info %j as complete', info => {
    expect(whyIncomplete(2, info)).toBeNull()
  })

  it.each([
    [{ total_count: 3 }, 'shows 2 of 3'],
    [{ total_pages: 2 }, 'page 1 of 2'],
    [{ page: 2, total_pages: 2, total_count: 2 }, 'page 2 of 2'],
    [{ page: 0 }, 'page 0'],
    [{ page: 1, per_page: 2, count: 2 }, 'full'],
    [{ total_count: '2' }, '"total_count": "\\"2\\""'],
    [{ total_count: 2, cursors: { after: 'x' } }, '"cursors"'],
    [{ has_more: true }, '"has_more"'],
    [[], 'not an object'],
  ])('rejects a list with result_info %j as incomplete', (info, why) => {
    expect(whyIncomplete(2, info)).toContain(why)
  })

  it('refuses an A record if a field is missing or of the wrong kind', () => {
    expect(parseRecord(shownRecord)).toEqual(readRecord)
    expect(parseRecord({ ...shownRecord, name: 'HOME.example.com.' })?.name).toBe('home.example.com')
    const ipv6 = { ...shownRecord, type: 'AAAA', content: '2001:0DB8:0::7' }
    expect(parseRecord(ipv6)?.content).toBe('2001:db8::7')
    const malformed = {
      id: '../x',
      type: undefined,
      name: null,
      content: 'a.example',
      ttl: 1.5,
      proxied: 'false',
    }
    for (const [field, value] of [...Object.entries(malformed), ['id', 7], ['ttl', '120']] as const) {
      expect(parseRecord({ ...shownRecord, [field]: value })).toBeNull()
    }
    expect(parseRecord({ id: 'a'.repeat(32), type: 'LOC', name: 'n.example' })).not.toBeNull()
  })

  it.each<[meta: unknown, hiddenBy: readonly string[]]>([
    [{ shadowed_by: [id] }, [id]],
    [{ shadowed_by: [id, id], is_glue: true, dead_glue: true }, [id, id]],
    [{ shadowed_by: [id], is_glue: true, dead_glue: null }, []],
    [{ shadowed_by: id }, []],
    [{ shadowed_by: [id, '::error::'] }, []],
  ])('reads %j as hiding a record only if it says so clearly', (meta, hiddenBy) => {
    expect(parseRecord({ ...shownRecord, meta })).toMatchObject({ hiddenBy })
  })
})
