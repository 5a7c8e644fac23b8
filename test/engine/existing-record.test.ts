import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { hostname, policies, type Stack, Stage } from '../support/engine/stack.ts'

let stage: Stage
let stack: Stack
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
})
afterAll(() => stage.close())

const recordsPath = () => `/zones/${stage.services.at.zoneId}/dns_records`
const writesOfRecords = () => stage.services.writes().filter(write => write.includes('/dns_records'))
/** Counts the lists of records since the journals were cleared. */
const lists = () =>
  stage.services.sandbox.control
    .journal()
    .filter(({ method, path }) => method === 'GET' && path.endsWith('/dns_records')).length

it('a second A record is refused in preview and up, and the first one is adopted as the message says', async () => {
  const { services } = stage
  const notes = { comment: 'made by hand', tags: ['team:net'] }
  const body = { name: hostname, type: 'A', content: '203.0.113.50', ttl: 300, proxied: false, ...notes }
  const { id } = await services.api<{ id: string }>('POST', recordsPath(), body)
  services.forget()
  for (const said of await stack.refusals())
    expect(said).toContain(`run pulumi config set --plaintext importRecordId ${id}, then pulumi up`)
  expect(writesOfRecords()).toEqual([])
  await stack.configure({ importRecordId: id })
  services.forget()
  await stack.up(...policies)
  // Its ttl is another.
  expect(writesOfRecords()).toEqual(['PUT /dns_records/*'])
  await stack.configure({ importRecordId: undefined })
  await stack.must(['preview', '--expect-no-changes', ...policies])
  expect(await services.record(hostname)).toMatchObject({ id, content: '203.0.113.50', ttl: 120, ...notes })
})

it('the records of a name are listed only before one is created', async () => {
  const { services } = stage
  services.forget()
  await stack.up()
  expect(lists()).toBe(0)
  await services.api('DELETE', `${recordsPath()}/${(await services.record(hostname))?.id}`)
  services.forget()
  await stack.up()
  expect(lists()).toBe(1)
  expect(await services.record(hostname)).toMatchObject({ content: '192.0.2.1' })
})
