import { beforeAll, describe, expect, it } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const good = { type: 'A', name: 'wrong.example.com', content: '192.0.2.1', ttl: 120 }
const without = (field: keyof typeof good) =>
  Object.fromEntries(Object.entries(good).filter(([name]) => name !== field))

const refused: [what: string, body: unknown, codes: number[], pointer?: string][] = [
  ['content that is not an IPv4 address', { ...good, content: '<html>' }, [9005]],
  ['an IPv4 address with leading zeros', { ...good, content: '010.8.8.8' }, [9005]],
  ['content that is not an IPv6 address', { ...good, type: 'AAAA' }, [9006]],
  ['a CNAME whose target is not a hostname', { ...good, type: 'CNAME', content: 'not a host' }, [9007]],
  ['an NS whose target is not a hostname', { ...good, type: 'NS', content: '*.example.com' }, [9010]],
  ['an empty TXT record', { ...good, type: 'TXT', content: '' }, [9207], '/content'],
  ['a ttl below 60', { ...good, ttl: 59 }, [9021]],
  ['a ttl above 86400', { ...good, ttl: 86_401 }, [9021]],
  ['a fractional ttl', { ...good, ttl: 60.5 }, [9021]],
  ['a ttl sent as text', { ...good, ttl: '120' }, [9022]],
  ['a proxied TXT record', { ...good, type: 'TXT', proxied: true }, [9041]],
  ['proxied sent as text', { ...good, proxied: 'false' }, [9207], '/proxied'],
  ['no name', without('name'), [9207], '/name'],
  ['no type', without('type'), [9207], '/type'],
  ['no content', without('content'), [9207], '/content'],
  ['an unsupported type', { ...good, type: 'LOC' }, [9004]],
  ['a name with a space', { ...good, name: 'a b' }, [9000]],
  ['a label of 64 characters', { ...good, name: 'a'.repeat(64) }, [9000]],
  ['a comment of 101 characters', { ...good, comment: 'x'.repeat(101) }, [9207], '/comment'],
  ['a tag with a space in its name', { ...good, tags: ['a b:c'] }, [9207], '/tags'],
  ['twenty-one tags', { ...good, tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, [9207], '/tags'],
  ['settings that are not an object', { ...good, settings: [] }, [9207], '/settings'],
  ['several wrong fields', { ...good, content: '', ttl: 2 }, [9005, 9021]],
  ['a body that is not JSON', '{"type":', [9207]],
  ['a body that is a list', [good], [9207]],
]

const post = async (body: unknown) => sandbox.api('POST', sandbox.records, { body })

it.each(refused)('%s is refused', async (_, body, codes, pointer) => {
  const answer = await post(body)
  expect(answer).toMatchObject({ status: 400, body: { success: false, result: null } })
  expect(answer.body.errors.map(({ code }) => code)).toEqual(codes)
  if (pointer !== undefined) expect(answer.body.errors[0]?.source).toEqual({ pointer })
})

it('a record that does not exist gets 404 with 81044', async () => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await sandbox.api(method, `${sandbox.records}/${'0'.repeat(32)}`, {
      ...(method === 'GET' ? {} : { body: good }),
    })
    expect(answer).toMatchObject({ status: 404, body: { errors: [{ code: 81044 }] } })
  }
})

describe('a record that conflicts with another', () => {
  beforeAll(async () => {
    await sandbox.create({ type: 'A', name: 'own', content: '192.0.2.10' })
    await sandbox.create({ type: 'CNAME', name: 'alias', content: 'home.example.com' })
    await sandbox.create({ type: 'NS', name: 'cut', content: 'ns1.example.net' })
    await sandbox.create({ type: 'TXT', name: 'text', content: 'text' })
  })

  it.each([
    ['an A next to a CNAME', { type: 'A', name: 'alias', content: '192.0.2.1' }, 81054],
    ['a CNAME next to an A', { type: 'CNAME', name: 'own', content: 'alias.example.com' }, 81053],
    ['a second CNAME', { type: 'CNAME', name: 'alias', content: 'other.example.com' }, 81053],
    ['a duplicate', { type: 'A', name: 'OWN', content: '192.0.2.10' }, 81058],
    ['an NS next to an A', { type: 'NS', name: 'own', content: 'ns1.example.net' }, 81055],
    ['an NS next to a CNAME', { type: 'NS', name: 'alias', content: 'ns1.example.net' }, 81055],
    ['an A next to an NS', { type: 'A', name: 'cut', content: '192.0.2.1' }, 81056],
    ['a CNAME next to an NS', { type: 'CNAME', name: 'cut', content: 'home.example.com' }, 81056],
  ])('is refused: %s', async (_, body, code) => {
    const answer = await post({ ttl: 120, ...body })
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map(error => error.code)).toEqual([code])
  })
})

it('a read-only record refuses every write', async () => {
  const { zoneId } = sandbox.at.cloudflare
  const locked = { id: 'e'.repeat(32), type: 'A', name: 'locked.example.com', content: '192.0.2.7' }
  sandbox.control.setState({
    records: { [zoneId]: [{ ...locked, meta: { read_only: true } }] },
  })
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const answer = await sandbox.api(method, `${sandbox.records}/${locked.id}`, { body: good })
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 0 }] } })
  }
  expect(await sandbox.list(`name=${locked.name}`)).toMatchObject([locked])
})

it('a PUT resets every field that it omits, and is refused without a ttl', async () => {
  const full = { proxied: true, comment: 'kept by hand', tags: ['team:dns'], settings: { ipv4_only: true } }
  const { id, created_on } = await sandbox.create({ ...good, name: 'full.example.com', ...full })
  const put = (body: object) => sandbox.api<DnsRecord>('PUT', `${sandbox.records}/${id}`, { body })
  const given = { type: 'A', name: 'full.example.com', content: '192.0.2.2' }
  const { body } = await put({ ...given, ttl: 120 })
  const reset = { proxied: false, comment: null, tags: [], settings: {} }
  expect(body.result).toMatchObject({ id, ...given, ...reset, created_on })
  expect(body.result.modified_on > created_on).toBe(true)
  expect(await sandbox.list(`name=${given.name}`)).toEqual([body.result])
  expect(await put(given)).toMatchObject({ status: 400, body: { errors: [{ code: 9021 }] } })
})

describe('a list of records', () => {
  it('matches whole names in Punycode, ignoring case', async () => {
    await sandbox.create({ type: 'TXT', name: 'many', content: 'text' })
    await sandbox.create({ type: 'A', name: 'bücher', content: '192.0.2.99' })
    for (const [query, count] of [
      ['name=MANY.Example.com&type=TXT', 1],
      ['name=any.example.com', 0],
      ['name=xn--bcher-kva.example.com', 1],
      [`name=${encodeURIComponent('bücher.example.com')}`, 0],
    ] as const)
      expect([query, (await sandbox.list(query)).length]).toEqual([query, count])
  })

  it.each(['per_page=0', 'per_page=5000001', 'per_page=', 'page=1.5'])('is refused with %s', async query => {
    const answer = await sandbox.api('GET', `${sandbox.records}?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 1003 }] } })
  })
})
