import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PriorResource } from '../../../../sandbox/pulumi/plugins/resource.ts'
import type { Properties } from '../../../../sandbox/pulumi/properties.ts'
import { askCloudflare } from '../../../support/services.ts'
import { useServices } from './services.ts'

const fixture = useServices()
beforeEach(() => fixture().control.clearJournal())

const at = () => fixture().sandbox.description.cloudflare
const dnsWrite = '4755a26eedb94da69e1066d98aa820be'
/** The policies of a token with permission groups on the zone. */
const policies = (...ids: string[]) => [
  {
    effect: 'allow',
    permissionGroups: ids.map(id => ({ id })),
    resources: JSON.stringify({ [`com.cloudflare.api.account.zone.${at().zoneId}`]: '*' }),
  },
]
/** A resource as an earlier run left it. */
const known = (inputs: Properties): PriorResource => ({ inputs, state: inputs })

describe('a record', () => {
  const type = 'cloudflare:index/dnsRecord:DnsRecord'
  const inputs = (name: string): Properties => ({
    zoneId: at().zoneId,
    name,
    type: 'A',
    content: '192.0.2.1',
    ttl: 120,
    proxied: false,
  })
  const patch = (id: string, changes: object) =>
    askCloudflare(at(), 'PATCH', `/zones/${at().zoneId}/dns_records/${id}`, changes)
  const last = () => fixture().control.journal().at(-1)

  it('is created from the inputs', async () => {
    const { id, state } = await fixture().cloudflare.create(type, inputs('made.example.com'))
    expect(fixture().requests()).toEqual([`POST /zones/${at().zoneId}/dns_records`])
    expect(state).toMatchObject({ ...inputs('made.example.com'), proxiable: true })
    expect(id).toMatch(/^[0-9a-f]{32}$/)
  })

  it('refreshes its inputs, and an update sends all of them', async () => {
    const before = inputs('moved.example.com')
    const { id, state } = await fixture().cloudflare.create(type, before)
    await patch(id, { content: '203.0.113.9' })
    const found = await fixture().cloudflare.read(type, id, { inputs: before, state })
    expect(found?.inputs).toEqual({ ...before, content: '203.0.113.9' })
    expect(fixture().cloudflare.diff(type, found ?? known(before), before).changes).toEqual(['content'])

    const now: Properties = { ...before, ttl: 300 }
    await fixture().cloudflare.update(type, id, now, { inputs: before, state })
    const request = last()
    expect(request?.method).toBe('PUT')
    const { zoneId: _zoneId, ...fields } = now
    expect(JSON.parse(request?.body ?? '')).toEqual({ ...fields, settings: {}, tags: [] })
  })

  it('loses a comment that the program does not declare, unless the program ignores it', async () => {
    const given = inputs('noted.example.com')
    const { id, state } = await fixture().cloudflare.create(type, given)
    await patch(id, { comment: 'router in the hall', tags: ['team:net'] })
    const found = await fixture().cloudflare.read(type, id, { inputs: given, state })
    if (found === null) throw new Error('The record is gone.')
    expect(found.inputs).toEqual(given)
    expect(fixture().cloudflare.diff(type, found, given).changes).toEqual(['comment'])
    const people = ['comment', 'tags']
    expect(fixture().cloudflare.diff(type, found, given, people).changes).toEqual([])

    await fixture().cloudflare.update(type, id, { ...given, ttl: 300 }, found, people)
    expect(JSON.parse(last()?.body ?? '')).toMatchObject({
      comment: 'router in the hall',
      tags: ['team:net'],
    })
    await fixture().cloudflare.update(type, id, given, found)
    expect(JSON.parse(last()?.body ?? '')).toMatchObject({ tags: [] })
  })

  it('is imported with the comment and tags that people wrote', async () => {
    const notes = { comment: 'router in the hall', tags: ['team:net'] }
    const { id } = await fixture().cloudflare.create(type, { ...inputs('labelled.example.com'), ...notes })
    const found = await fixture().cloudflare.read(type, `${at().zoneId}/${id}`, { inputs: {}, state: {} })
    expect(found?.inputs).toEqual({ ...inputs('labelled.example.com'), ...notes })
  })
})

describe('a token', () => {
  const type = 'cloudflare:index/accountToken:AccountToken'
  const inputs = (name: string): Properties => ({
    accountId: at().accountId,
    name,
    policies: policies(dnsWrite),
  })

  it('has its resources as text, which reads back unchanged', async () => {
    const { id, state } = await fixture().cloudflare.create(type, inputs('one'))
    expect(state['value']).toMatch(/^cfat_/)
    const found = await fixture().cloudflare.read(type, id, { inputs: inputs('one'), state })
    expect(found?.inputs).toEqual(inputs('one'))
    expect(found?.state['value']).toBe(state['value'])
    const unlike = [{ ...policies(dnsWrite)[0], resources: {} }]
    expect(fixture().cloudflare.check(type, { ...inputs('one'), policies: unlike })).toMatchObject([
      { property: 'policies' },
    ])
  })

  it('reads back unchanged if its groups return in another order', async () => {
    const read = '82e64a83756745bbbb1c9c2701bf816b'
    const { id, state } = await fixture().cloudflare.create(type, {
      ...inputs('two'),
      policies: policies(dnsWrite, read),
    })
    const declared = { ...inputs('two'), policies: policies(read, dnsWrite) }
    const found = await fixture().cloudflare.read(type, id, { inputs: declared, state })
    expect(found?.inputs['policies']).toEqual(declared['policies'])
  })

  it('keeps its value when it is updated', async () => {
    const { id, state } = await fixture().cloudflare.create(type, inputs('five'))
    const known = { inputs: inputs('five'), state }
    const changed = await fixture().cloudflare.update(type, id, inputs('renamed'), known)
    expect(changed).toMatchObject({ name: 'renamed', value: state['value'] })
  })
})

describe('a Worker', () => {
  const type = 'cloudflare:index/workersScript:WorkersScript'
  const code = 'export default { fetch: () => new Response("here") }'
  const inputs = (scriptName: string): Properties => ({
    accountId: at().accountId,
    scriptName,
    mainModule: 'worker.js',
    content: code,
    contentSha256: createHash('sha256').update(code).digest('hex'),
    compatibilityDate: '2026-07-01',
    bindings: [{ name: 'SECRET', type: 'secret_text', text: 'hidden' }],
    observability: { enabled: true, headSamplingRate: 1 },
  })

  it('is uploaded whole, and reads back unchanged', async () => {
    const { id, state } = await fixture().cloudflare.create(type, inputs('calm'))
    fixture().control.clearJournal()
    const found = await fixture().cloudflare.read(type, id, { inputs: inputs('calm'), state })
    expect(found?.inputs).toEqual(inputs('calm'))
    const workers = `GET /accounts/${at().accountId}/workers`
    expect(fixture().requests()).toEqual([
      `${workers}/services/calm`,
      `${workers}/scripts/calm/settings`,
      `${workers}/scripts/calm/content/v2`,
    ])
  })

  it('shows a plain binding that others added, and none that they changed', async () => {
    const plain = (name: string, text: string) => ({ name, type: 'plain_text', text })
    const given = { ...inputs('bound'), bindings: [plain('APP_NAME', 'ours')] }
    const { id, state } = await fixture().cloudflare.create(type, given)
    await fixture().cloudflare.create(type, { ...given, bindings: [plain('APP_NAME', 'theirs')] })
    const changed = await fixture().cloudflare.read(type, id, { inputs: given, state })
    expect(changed?.inputs).toEqual(given)
    await fixture().cloudflare.create(type, { ...given, bindings: [...given.bindings, plain('MORE', 'x')] })
    const added = await fixture().cloudflare.read(type, id, { inputs: given, state })
    expect(fixture().cloudflare.diff(type, added ?? known({}), given).changes).toEqual(['bindings'])
    await fixture().cloudflare.update(type, id, given, added ?? known({}))
    const removed = await fixture().cloudflare.read(type, id, { inputs: given, state })
    expect(removed?.inputs).toEqual(given)
  })

  it('whose hash does not match its code is refused before it is sent', async () => {
    const wrong = { ...inputs('wrong'), contentSha256: '0'.repeat(64) }
    await expect(fixture().cloudflare.create(type, wrong)).rejects.toThrow(/content_sha256/)
    expect(fixture().requests()).toEqual([])
  })
})

it('a database without declared replication shows a change at its first refresh', async () => {
  const type = 'cloudflare:index/d1Database:D1Database'
  const silent: Properties = { accountId: at().accountId, name: 'silent' }
  const { id, state } = await fixture().cloudflare.create(type, silent)
  const found = await fixture().cloudflare.read(type, id, { inputs: silent, state })
  expect(fixture().cloudflare.diff(type, found ?? known({}), silent).changes).toEqual(['readReplication'])

  const declared = { ...silent, readReplication: { mode: 'disabled' } }
  const calm = await fixture().cloudflare.read(type, id, { inputs: declared, state })
  expect(fixture().cloudflare.diff(type, calm ?? known({}), declared).changes).toEqual([])
  await fixture().cloudflare.update(type, id, declared, { inputs: silent, state })
  expect(fixture().requests().at(-1)).toMatch(/^PUT .*\/d1\/database\//)
})

it('a database keeps its jurisdiction, and another one replaces it', async () => {
  const type = 'cloudflare:index/d1Database:D1Database'
  const readReplication = { mode: 'disabled' }
  const free: Properties = { accountId: at().accountId, name: 'anywhere', readReplication }
  const european: Properties = { ...free, name: 'in-europe', jurisdiction: 'eu' }
  const { id, state } = await fixture().cloudflare.create(type, european)
  // An import has no inputs yet: the service says what the database has.
  const found = await fixture().cloudflare.read(type, id, { inputs: {}, state })
  expect(found?.inputs).toEqual(european)
  const { replaces } = fixture().cloudflare.diff(type, found ?? known({}), {
    ...european,
    jurisdiction: 'us',
  })
  expect(replaces).toEqual(['jurisdiction'])

  const other = await fixture().cloudflare.create(type, free)
  const late = { inputs: { ...free, jurisdiction: 'eu' }, state: other.state }
  expect((await fixture().cloudflare.read(type, other.id, late))?.inputs).toEqual(free)
})

describe('a failing service', () => {
  const groups = () =>
    fixture().cloudflare.lookUp(
      'cloudflare:index/getApiTokenPermissionGroupsList:getApiTokenPermissionGroupsList',
      {
        name: 'DNS Write',
      },
    )
  const fail = (status: number, times: number | null) =>
    fixture().control.setFaults([
      { match: { path: 'permission_groups' }, times, answer: { kind: 'errors', status, errors: [] } },
    ])

  it.each([408, 409, 429, 500, 503])('is retried after %i', async status => {
    fail(status, 2)
    await expect(groups()).resolves.toMatchObject({ results: [{ name: 'DNS Write' }] })
    expect(fixture().requests()).toHaveLength(3)
  })

  it('is not retried after 403, and not more than ten times after any status', async () => {
    fail(403, 1)
    await expect(groups()).rejects.toThrow(/403/)
    expect(fixture().requests()).toHaveLength(1)
    fixture().control.clearJournal()
    fail(500, null)
    await expect(groups()).rejects.toThrow(/500/)
    expect(fixture().requests()).toHaveLength(11)
    fixture().control.setFaults([])
  })

  it('is asked again after a lost answer, so that a committed POST is done twice', async () => {
    fixture().control.setFaults([
      { match: { method: 'POST', path: '/tokens$' }, commit: true, answer: { kind: 'reset' } },
    ])
    const { accountId } = at()
    const token = 'cloudflare:index/accountToken:AccountToken'
    await fixture().cloudflare.create(token, { accountId, name: 'twice', policies: policies(dnsWrite) })
    const listed = await askCloudflare<{ name: string }[]>(at(), 'GET', `/accounts/${accountId}/tokens`)
    expect(listed.filter(({ name }) => name === 'twice')).toHaveLength(2)
  })
})
