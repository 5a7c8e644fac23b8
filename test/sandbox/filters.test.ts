import type Cloudflare from 'cloudflare'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { runSandbox } from './running.ts'
import { sdkClient } from './sdk-client.ts'

const sandbox = runSandbox()

type Filters = Omit<Cloudflare.DNS.RecordListParams, 'zone_id'>

/** Returns the first labels of the records that the SDK finds, in order, or a query that the SDK does not send. */
async function found(by: Filters | string): Promise<string[]> {
  const zone = { zone_id: sandbox.at.cloudflare.zoneId }
  const { result } =
    typeof by === 'string'
      ? (await sandbox.api<DnsRecord[]>('GET', `${sandbox.records}?${by}`)).body
      : await sdkClient(sandbox).dns.records.list({ ...zone, ...by })
  return result.map(({ name }) => name.split('.')[0] ?? '')
}

beforeAll(async () => {
  const { zoneId } = sandbox.at.cloudflare
  await sandbox.control('PUT', '/state', { records: { [zoneId]: [] } })
  const create = (name: string, fields: object) =>
    sandbox.create({ type: 'A', name, content: '192.0.2.1', ...fields })
  await create('alpha', { comment: 'Front Door', tags: ['team:DNS', 'prod'], ttl: 300 })
  await create('beta', { content: '192.0.2.22', comment: 'back door', tags: ['team:web'], ttl: 60 })
  await create('gamma', { content: '198.51.100.1', proxied: true, tags: ['Prod:yes'] })
  await create('delta', { type: 'TXT', content: 'Door key', ttl: 3600 })
})

describe('a list can be filtered by', () => {
  it.each<[Filters | string, string[]]>([
    [{ name: { contains: 'ALP' } }, ['alpha']],
    [{ name: { startswith: 'be' } }, ['beta']],
    [{ name: { endswith: 'A.example.com' } }, ['alpha', 'beta', 'gamma', 'delta']],
    [{ name: { startswith: 'a', contains: 'b' } }, []],
    ['content=door%20KEY', ['delta']],
    [{ content: { contains: '192.0.2' } }, ['alpha', 'beta']],
    [{ content: { startswith: '198' } }, ['gamma']],
    [{ content: { endswith: '.22' } }, ['beta']],
    ['comment=front%20door', ['alpha']],
    [{ comment: { exact: 'back DOOR' } }, ['beta']],
    [{ comment: { contains: 'door' } }, ['alpha', 'beta']],
    [{ comment: { startswith: 'back' } }, ['beta']],
    [{ comment: { endswith: 'door' } }, ['alpha', 'beta']],
    [{ comment: { present: '' } }, ['alpha', 'beta']],
    ['comment.absent=true', ['gamma', 'delta']],
    ['tag=prod', ['alpha', 'gamma']],
    ['tag=team:dns', ['alpha']],
    [{ tag: { exact: 'TEAM:web' } }, ['beta']],
    [{ tag: { contains: 'team:e' } }, ['beta']],
    [{ tag: { startswith: 'team:d' } }, ['alpha']],
    [{ tag: { endswith: 'team:s' } }, ['alpha']],
    [{ tag: { present: 'team' } }, ['alpha', 'beta']],
    [{ tag: { absent: 'team' } }, ['gamma', 'delta']],
    [{ proxied: true }, ['gamma']],
    [{ proxied: false }, ['alpha', 'beta', 'delta']],
    [{ type: 'TXT' }, ['delta']],
    [{ search: 'DOOR' }, ['alpha', 'beta', 'delta']],
    [{ search: 'yes' }, ['gamma']],
  ])('%j', async (by, names) => {
    expect(await found(by)).toEqual(names)
  })
})

describe('filters are combined', () => {
  it.each<[Filters | string, string[]]>([
    [{ type: 'A', content: { contains: '192' } }, ['alpha', 'beta']],
    [{ match: 'any', type: 'TXT', name: { exact: 'beta.example.com' } }, ['beta', 'delta']],
    [{ match: 'any' }, ['alpha', 'beta', 'gamma', 'delta']],
    ['tag=prod&tag=team', ['alpha']],
    ['tag=prod&tag=team&tag_match=any', ['alpha', 'beta', 'gamma']],
    // The tag filters form one condition, which match combines with the others.
    ['tag=prod&tag=team&match=any&type=TXT', ['alpha', 'delta']],
    [{ search: 'door', match: 'any', type: 'TXT' }, ['delta']],
  ])('%j', async (by, names) => {
    expect(await found(by)).toEqual(names)
  })
})

describe('a list can be sorted by', () => {
  it.each<[Filters | string, string[]]>([
    [{ order: 'name' }, ['alpha', 'beta', 'delta', 'gamma']],
    [{ order: 'name', direction: 'desc' }, ['gamma', 'delta', 'beta', 'alpha']],
    [{ order: 'ttl' }, ['gamma', 'beta', 'alpha', 'delta']],
    [{ order: 'content' }, ['alpha', 'beta', 'gamma', 'delta']],
    [{ order: 'type', direction: 'desc' }, ['delta', 'alpha', 'beta', 'gamma']],
    [{ order: 'proxied', direction: 'desc' }, ['gamma', 'alpha', 'beta', 'delta']],
    [{ order: 'name', per_page: 2, page: 2 }, ['delta', 'gamma']],
  ])('%j', async (by, names) => {
    expect(await found(by)).toEqual(names)
  })

  it.each(['order=age', 'direction=up', 'match=some', 'tag_match=', 'proxied=yes'])(
    'supported values only: %s is refused',
    async query => {
      expect(await sandbox.api('GET', `${sandbox.records}?${query}`)).toMatchObject({
        status: 400,
        body: { errors: [{ code: 1003 }] },
      })
    },
  )
})

describe('records shadowed by a delegation', () => {
  beforeAll(async () => {
    await sandbox.create({ type: 'NS', name: 'sub', content: 'ns.sub.example.com' })
    await sandbox.create({ type: 'A', name: 'ns.sub', content: '192.0.2.53' })
    await sandbox.create({ type: 'A', name: 'host.sub', content: '192.0.2.54' })
    await sandbox.create({ type: 'NS', name: 'deep.sub', content: 'ns.deep.sub.example.com' })
    await sandbox.create({ type: 'A', name: 'ns.deep.sub', content: '192.0.2.55' })
  })

  const asked = 'include_shadow_metadata=true'
  async function metaOf(name: string) {
    const path = `${sandbox.records}?name=${name}.example.com&${asked}`
    return (await sandbox.api<DnsRecord[]>('GET', path)).body.result[0]?.meta
  }

  it('are marked in the metadata on request, as is glue', async () => {
    const [sub] = await sandbox.named('sub.example.com')
    const [deep] = await sandbox.named('deep.sub.example.com')
    expect(await metaOf('host.sub')).toEqual({ shadowed_by: [sub?.id] })
    expect(await metaOf('ns.sub')).toEqual({ shadowed_by: [sub?.id], is_glue: true })
    expect(await metaOf('ns.deep.sub')).toEqual({
      shadowed_by: [sub?.id, deep?.id],
      is_glue: true,
      dead_glue: true,
    })
    expect(await metaOf('sub')).toEqual({})
    expect(await metaOf('deep.sub')).toEqual({ shadowed_by: [sub?.id] })
    const [host] = await sandbox.named('host.sub.example.com')
    expect(host?.meta).toEqual({})
    const one = `${sandbox.records}/${host?.id}?${asked}`
    for (const [method, body] of [['GET'], ['PATCH', { body: { ttl: 300 } }]] as const) {
      const { result } = (await sandbox.api<DnsRecord>(method, one, body)).body
      expect(result.meta).toEqual({ shadowed_by: [sub?.id] })
    }
  })

  it('are not marked in a page of more than 1,000', async () => {
    const texts = Array.from({ length: 1001 }, (_, at) => ({
      type: 'TXT',
      name: `t${at}.sub.example.com`,
      content: 'x',
      ttl: 60,
    }))
    const ns = { type: 'NS', name: 'sub.example.com', content: 'ns.example.net', ttl: 60 }
    const { zoneId } = sandbox.at.cloudflare
    await sandbox.control('PUT', '/state', { records: { [zoneId]: [...texts, ns] } })
    for (const [perPage, marked] of [
      [1000, 1000],
      [1001, 0],
    ]) {
      const { body } = await sandbox.api<DnsRecord[]>(
        'GET',
        `${sandbox.records}?${asked}&per_page=${perPage}`,
      )
      expect(body.result.filter(({ meta }) => 'shadowed_by' in meta)).toHaveLength(marked ?? 0)
    }
  })
})
