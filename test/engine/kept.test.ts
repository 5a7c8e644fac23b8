import { expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, policies, publicOrigin, Stack } from '../support/engine/stack.ts'

const { stage, stack } = await deployed()
const { services } = stage
const databaseId = await stack.output('databaseId')
await stack.employees('migrate')
await stack.employees('add', 'alice')

const expectSignIn = async () =>
  expect(await services.signIn(publicOrigin, 'alice@example.com')).toMatchObject({
    user: { username: 'alice' },
  })

// The journeys have what it leaves.
it('after destroy --exclude-protected, the next up continues with the record and the database', async () => {
  await stack.must(['destroy', '--yes', '--skip-preview', '--exclude-protected'])
  await stack.up()
  expect(await stack.output('databaseId')).toBe(databaseId)
  await expectSignIn()
})

it('without its state, up refuses the name that is taken, and adopts both when told their ids', async () => {
  const record = await services.record(hostname)
  await stack.must(['destroy', '--yes', '--skip-preview', '--exclude-protected'])
  await stack.must(['state', 'unprotect', '--all', '--yes'])
  await stack.must(['stack', 'rm', '--yes', '--force'])
  await stage.stack('dev')
  expect((await stack.tryUp()).output.replace(/\s+/g, ' ')).toContain(`importRecordId ${record?.id}`)
  const type = 'cloudflare:index/d1Database:D1Database'
  const id = `${services.at.accountId}/${databaseId}`
  await stack.must(['import', '--yes', '--generate-code=false', type, 'handler-database', id])
  const { zoneId } = services.at
  const other = { name: 'other.example.com', type: 'A', content: '203.0.113.9', ttl: 300 }
  const { id: otherId } = await services.api<{ id: string }>('POST', `/zones/${zoneId}/dns_records`, other)
  await stack.configure({ importRecordId: otherId })
  expect((await stack.tryUp()).output).toContain('is the record "other.example.com A"')
  await stack.configure({ importRecordId: record?.id })
  services.sandbox.control.clearJournal()
  await stack.up()
  expect(services.writes().filter(write => /dns_records|d1/.test(write))).toEqual([])
  await stack.configure({ importRecordId: undefined })
  services.sandbox.control.clearJournal()
  await stack.up()
  expect(services.writes()).toEqual([])
  expect(await stack.output('databaseId')).toBe(databaseId)
  expect(await stack.employees('list')).toContain('alice')
})

it('after a rename, up changes the name of the token and nothing else, and drift still finds the Worker', async () => {
  const outputs = async (of: Stack) =>
    Promise.all(['databaseId', 'dnsToken', 'dnsTokenId', 'recordId'].map(name => of.output(name)))
  const before = await outputs(stack)
  await stack.must(['stack', 'rename', 'prod'])
  const renamed = new Stack(stage, 'prod')
  services.sandbox.control.clearJournal()
  await renamed.up(...policies)
  expect(services.writes()).toEqual(['PUT /tokens/*'])
  expect(await outputs(renamed)).toEqual(before)
  expect(await renamed.employees('list')).toContain('alice')
  await expectSignIn()
  expect((await renamed.drift()).output).toContain('No drift: stack prod is as the last run left it.')
})

it('a later change updates the same Worker, and a rotation has no gap', async () => {
  const renamed = new Stack(stage, 'prod')
  services.sandbox.control.clearJournal()
  await renamed.configure({ redirectPath: '/auth/back', tokenRotation: 'second' })
  await renamed.up(...policies)
  expect(services.writes()).toContain('PUT /workers/scripts/homeport-dev')
  expect(services.registration().web.redirectUris).toEqual([`${publicOrigin}/auth/back`])
  const { parameters } = await services.beginSignIn(publicOrigin)
  expect(parameters.get('redirect_uri')).toBe(`${publicOrigin}/auth/back`)
  expect((await services.tokens()).map(({ name }) => name)).toEqual(['homeport-prod'])
  await expectSignIn()
})

it('a new stack with the old name takes over neither database nor Worker', async () => {
  const other = await stage.stack('dev', {
    hostname: 'other.example.com',
    publicOrigin: 'https://other-people.example.com',
  })
  services.sandbox.control.clearJournal()
  const { status, output } = await other.tryUp()
  expect(status).not.toBe(0)
  expect(output).toContain('7502')
  expect(services.writes().filter(write => write.includes('/workers/'))).toEqual([])
})
