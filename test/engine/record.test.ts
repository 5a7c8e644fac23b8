import { expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { hostname } from '../support/engine/stack.ts'
import { runAction } from '../support/runner.ts'

const otherName = 'moved.example.com'

const { stage, stack } = await deployed()

/** Runs the shipped action with the token that the stack created for it. */
async function move(name: string, address: string): Promise<void> {
  const { baseUrl, zoneId } = stage.services.at
  const run = await runAction({
    'api-token': await stack.output('dnsToken'),
    'zone-id': zoneId,
    hostname: name,
    address,
    'allow-reserved-address': 'true',
    'base-url': baseUrl,
  })
  if (run.outputs['result'] !== 'updated') throw new Error(run.raw)
}

const contentOf = async (name: string) => (await stage.services.record(name))?.content

it('the next up keeps an address that the action set', async () => {
  await move(hostname, '203.0.113.9')
  await stage.services.forget()
  await stack.up()
  expect(await stage.services.writes()).toEqual([])
  expect(await contentOf(hostname)).toBe('203.0.113.9')
})

it('an update of the record carries the address that the action set', async () => {
  await move(hostname, '203.0.113.10')
  await stage.services.forget()
  await stack.configure({ hostname: otherName })
  await stack.up()
  expect(await stage.services.writes()).toContain('PUT /dns_records/*')
  expect(await contentOf(otherName)).toBe('203.0.113.10')
  expect(await stage.services.record(hostname)).toBeUndefined()
})

it('a comment and tags that people wrote survive up, refresh, an update and the action', async () => {
  const { services } = stage
  const notes = { comment: 'router in the hall', tags: ['team:net'] }
  const record = await services.record(otherName)
  await services.api('PATCH', `/zones/${services.at.zoneId}/dns_records/${record?.id}`, notes)
  await services.forget()
  expect((await stack.run(['preview', '--expect-no-changes'])).status).toBe(0)
  await stack.must(['refresh', '--yes', '--skip-preview'])
  await stack.up()
  expect(await services.writes()).toEqual([])
  await move(otherName, '203.0.113.12')
  expect(await services.record(otherName)).toMatchObject({ ...notes, content: '203.0.113.12' })

  await stack.configure({ hostname: 'renamed.example.com' })
  await stack.up()
  expect(await services.record('renamed.example.com')).toMatchObject({ ...notes, content: '203.0.113.12' })
  await stack.configure({ hostname: otherName })
  await stack.up()
})

it('without a refresh it carries the previous address, which the project file prevents', async () => {
  await move(otherName, '203.0.113.11')
  await stack.configure({ hostname })
  await stack.up('--refresh=false')
  expect(await contentOf(hostname)).toBe('203.0.113.12')
})
