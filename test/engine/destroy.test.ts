import { beforeAll, expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, publicOrigin } from '../support/engine/stack.ts'

const { stage, stack } = await deployed()
const databaseId = await stack.output('databaseId')
beforeAll(async () => {
  await stack.employees('migrate')
  await stack.employees('add', 'alice')
})

// The journeys have what it leaves.
it('after destroy --exclude-protected, the next up continues with the record and the database', async () => {
  await stack.must(['destroy', '--yes', '--skip-preview', '--exclude-protected'])
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
