import { beforeEach, describe, expect, it } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { runSandbox } from './running.ts'
import { sdkClient } from './sdk-client.ts'

const sandbox = runSandbox()

type Batch = Record<'deletes' | 'patches' | 'puts' | 'posts', DnsRecord[]>

const send = (body: unknown) => sandbox.api<Batch>('POST', `${sandbox.records}/batch`, { body })

const allRecords = async () =>
  (await sandbox.api<DnsRecord[]>('GET', `${sandbox.records}?per_page=1000`)).body.result.map(
    ({ type, name, content }) => [type, name.split('.')[0], content].join(' '),
  )

async function makeThree() {
  const { zoneId } = sandbox.at.cloudflare
  await sandbox.control('PUT', '/state', { records: { [zoneId]: [] } })
  const create = (name: string, content: string) => sandbox.create({ type: 'A', name, content, comment: 'x' })
  return [
    await create('one', '192.0.2.1'),
    await create('two', '192.0.2.2'),
    await create('three', '192.0.2.3'),
  ]
}

describe('a batch', () => {
  let ids: string[]
  beforeEach(async () => {
    ids = (await makeThree()).map(({ id }) => id)
  })

  it('runs deletes, patches, puts and posts in this order, whatever the order in the body', async () => {
    const { zoneId, dnsToken } = sandbox.at.cloudflare
    const [one = '', two = '', three = ''] = ids
    const done = await sdkClient(sandbox, dnsToken).dns.records.batch({
      zone_id: zoneId,
      // Conflicts unless the delete and the patch run first.
      posts: [
        { type: 'CNAME', name: 'one', content: 'two.example.com', ttl: 120 },
        { type: 'A', name: 'two', content: '192.0.2.2', ttl: 120 },
      ],
      puts: [{ id: three, type: 'A', name: 'three', content: '192.0.2.33', ttl: 60 }],
      patches: [{ id: two, type: 'A', name: 'two', content: '192.0.2.22', ttl: 120 }],
      deletes: [{ id: one }],
    })
    expect(done).toMatchObject({
      deletes: [{ id: ids[0], name: 'one.example.com' }],
      patches: [{ id: ids[1], content: '192.0.2.22', comment: 'x' }],
      puts: [{ id: ids[2], content: '192.0.2.33', comment: null }],
      posts: [{ type: 'CNAME' }, { content: '192.0.2.2' }],
    })
    expect(await allRecords()).toEqual([
      'A two 192.0.2.22',
      'A three 192.0.2.33',
      'CNAME one two.example.com',
      'A two 192.0.2.2',
    ])
  })

  it.each([
    [
      'a put of an unknown id',
      { puts: [{ id: 'f'.repeat(32), type: 'A', name: 'x', content: '192.0.2.1', ttl: 60 }] },
      81044,
      '/puts/0',
    ],
    [
      'a post of invalid content',
      { posts: [{ type: 'A', name: 'x', content: 'no', ttl: 60 }] },
      9005,
      '/posts/0',
    ],
    [
      'a post of a conflicting CNAME',
      { posts: [{ type: 'CNAME', name: 'two', content: 'a.example', ttl: 60 }] },
      81053,
      '/posts/0',
    ],
    ['a post that is not an object', { posts: [7] }, 9207, '/posts/0'],
  ])('changes nothing if one operation fails: %s', async (_, more, code, pointer) => {
    const before = await allRecords()
    const answer = await send({ deletes: [{ id: ids[0] }], patches: [{ id: ids[1], ttl: 999 }], ...more })
    expect(answer.body.errors).toMatchObject([{ code, source: { pointer } }])
    expect(answer.body.success).toBe(false)
    expect(await allRecords()).toEqual(before)
  })

  it('may be empty', async () => {
    expect((await send({})).body.result).toEqual({ deletes: [], patches: [], puts: [], posts: [] })
    expect(await allRecords()).toHaveLength(3)
  })

  it('takes up to 200 operations', async () => {
    const posts = Array.from({ length: 200 }, (_, at) => ({
      type: 'A',
      name: `n${at}`,
      content: '192.0.2.9',
      ttl: 60,
    }))
    const tooMany = await send({ posts, deletes: [{ id: ids[0] }] })
    expect(tooMany).toMatchObject({ status: 400, body: { errors: [{ code: 9207 }] } })
    expect(await allRecords()).toHaveLength(3)
    expect((await send({ posts })).status).toBe(200)
    expect(await allRecords()).toHaveLength(203)
  })

  it.each(['[]', { posts: {} }, 'no JSON'])('refuses a body of %j', async body => {
    expect(await send(body)).toMatchObject({ status: 400, body: { errors: [{ code: 9207 }] } })
  })
})
