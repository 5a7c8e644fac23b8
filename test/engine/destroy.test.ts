import { beforeAll, expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, publicOrigin, Stack } from '../support/engine/stack.ts'

const { stage, stack } = await deployed()
const databaseId = await stack.output('databaseId')
beforeAll(async () => {
  await stack.employees('migrate')
  await stack.employees('add', 'alice')
})

const databases = () =>
  stage.services.api<unknown[]>('GET', `/accounts/${stage.services.at.accountId}/d1/database`)

it('destroy stops at the protected resources before it deletes anything', async () => {
  await stage.services.forget()
  const { status, output } = await stack.run(['destroy', '--yes'])
  expect(status).not.toBe(0)
  expect(output).toMatch(/protect/)
  expect(await stage.services.writes()).toEqual([])
})

it('destroy --exclude-protected leaves only the record and the database', async () => {
  const { services } = stage
  await stack.must(['destroy', '--yes', '--skip-preview', '--exclude-protected'])
  expect(await services.record(hostname)).toMatchObject({ content: '192.0.2.1' })
  expect(await services.tokens()).toEqual([])
  const { entra, github } = services.state
  expect(entra.applications).toEqual([])
  expect(entra.servicePrincipals).toEqual([])
  expect(github.environments['dns']).toEqual({ secrets: {}, variables: {} })
  const scripts = `/accounts/${services.at.accountId}/workers/scripts`
  expect(await services.api<unknown[]>('GET', scripts)).toEqual([])
  expect(await databases()).toMatchObject([{ uuid: databaseId }])
  expect(await stack.employees('list')).toContain('alice')
})

it('the next up continues with both', async () => {
  await stack.up()
  expect(await stack.output('databaseId')).toBe(databaseId)
  expect(await stage.services.signIn(publicOrigin, 'alice@example.com')).toMatchObject({
    user: { username: 'alice' },
  })
})

it('without its state, up refuses the name that is taken, and adopts both when told their ids', async () => {
  const record = await stage.services.record(hostname)
  await stack.must(['destroy', '--yes', '--skip-preview', '--exclude-protected'])
  await stack.must(['state', 'unprotect', '--all', '--yes'])
  await stack.must(['stack', 'rm', '--yes', '--force'])
  const again = await stage.stack('dev')
  expect((await again.tryUp()).output.replace(/\s+/g, ' ')).toContain(`importRecordId ${record?.id}`)
  const { accountId } = stage.services.at
  const type = 'cloudflare:index/d1Database:D1Database'
  await again.must([
    'import',
    '--yes',
    '--generate-code=false',
    type,
    'handler-database',
    `${accountId}/${databaseId}`,
  ])
  await again.configure({ importRecordId: record?.id })
  await stage.services.forget()
  await again.up()
  expect((await stage.services.writes()).filter(write => /dns_records|d1/.test(write))).toEqual([])
  await again.configure({ importRecordId: undefined })
  await stage.services.forget()
  await again.up()
  expect(await stage.services.writes()).toEqual([])
  expect(await again.output('databaseId')).toBe(databaseId)
  expect(await again.employees('list')).toContain('alice')
})

it('destroy deletes both after state unprotect, as the page says', async () => {
  const again = new Stack(stage, 'dev')
  await again.must(['state', 'unprotect', '--all', '--yes'])
  await again.must(['destroy', '--yes'])
  expect(await stage.services.record(hostname)).toBeUndefined()
  expect(await databases()).toEqual([])
})
