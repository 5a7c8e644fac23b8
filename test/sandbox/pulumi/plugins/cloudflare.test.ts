import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PriorResource } from '../../../../sandbox/pulumi/plugins/resource.ts'
import type { Properties } from '../../../../sandbox/pulumi/properties.ts'
import { askCloudflare, workerUpload } from '../../../support/services.ts'
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

  it('whose hash does not match its code is refused before it is sent', async () => {
    const wrong = { ...inputs('wrong'), contentSha256: '0'.repeat(64) }
    await expect(fixture().cloudflare.create(type, wrong)).rejects.toThrow(/content_sha256/)
    expect(fixture().requests()).toEqual([])
  })

  it('shows which secrets are gone and which other bindings somebody added, and no other change of a binding', async () => {
    const secret = (name: string, text = 'hidden') => ({ name, type: 'secret_text', text })
    const plain = (name: string, text = 'seen') => ({ name, type: 'plain_text', text })
    const given = {
      ...inputs('bound'),
      bindings: [secret('KEPT'), secret('GONE'), plain('MODE'), plain('OLD')],
    }
    const { id, state } = await fixture().cloudflare.create(type, given)
    const theirs = [secret('KEPT', 'theirs'), secret('NEW'), plain('MODE', 'theirs'), plain('GONE')]
    const path = `/accounts/${at().accountId}/workers/scripts/${id}`
    await askCloudflare(at(), 'PUT', path, workerUpload('theirs', { bindings: theirs }))
    const found = await fixture().cloudflare.read(type, id, { inputs: given, state })
    expect(found?.inputs['bindings']).toEqual([secret('KEPT'), plain('MODE'), plain('OLD'), plain('GONE')])
  })

  it('shows that somebody else gets its log', async () => {
    const given = inputs('listened')
    const { id, state } = await fixture().cloudflare.create(type, given)
    const read = () => fixture().cloudflare.read(type, id, { inputs: given, state })
    const found = (await read())?.inputs
    const path = `/accounts/${at().accountId}/workers/scripts/${id}/script-settings`
    const listener = { logpush: true, tail_consumers: [{ service: 'spy' }] }
    await askCloudflare(at(), 'PATCH', path, listener)
    const { logpush, tail_consumers: tailConsumers } = listener
    expect((await read())?.inputs).toEqual({ ...found, logpush, tailConsumers })
  })

  it('drops its cron trigger once it is deleted, and never shows emptied schedules', async () => {
    const { id, state } = await fixture().cloudflare.create(type, inputs('clock'))
    const trigger = 'cloudflare:index/workersCronTrigger:WorkersCronTrigger'
    const schedules = [{ cron: '*/5 * * * *' }]
    const given = { accountId: at().accountId, scriptName: id, schedules }
    const made = { inputs: given, state: (await fixture().cloudflare.create(trigger, given)).state }
    await askCloudflare(at(), 'PUT', `/accounts/${at().accountId}/workers/scripts/${id}/schedules`, [])
    expect((await fixture().cloudflare.read(trigger, id, made))?.inputs).toEqual(given)
    await fixture().cloudflare.delete(type, id, state)
    expect(await fixture().cloudflare.read(trigger, id, made)).toBeNull()
  })
})

it('a token that somebody disabled stays so until the program declares its status', async () => {
  const type = 'cloudflare:index/accountToken:AccountToken'
  const given: Properties = { accountId: at().accountId, name: 'first', policies: policies(dnsWrite) }
  const { id, state } = await fixture().cloudflare.create(type, given)
  const update = (inputs: Properties) =>
    fixture().cloudflare.update(type, id, inputs, { inputs: given, state })
  await update({ ...given, status: 'disabled' })
  expect((await update({ ...given, name: 'second' }))['status']).toBe('disabled')
  expect((await update({ ...given, status: 'active' }))['status']).toBe('active')
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
