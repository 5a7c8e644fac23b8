import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { Stage } from '../support/engine/stack.ts'

const hostname = 'home.example.com'
const isOfRecord = (write: string) => write.includes('dns_records')

let stage: Stage
beforeEach(async () => {
  stage = await Stage.start(inject('pulumi'))
})
afterEach(() => stage.close())

it.each([
  ['the declared shape, without a write', { content: '203.0.113.77' }, []],
  [
    'another shape, by one write',
    { content: '203.0.113.78', ttl: 300, comment: 'made by hand' },
    ['PUT /dns_records/*'],
  ],
])('adopts a record with its live address and comment: of %s', async (_, live, writes) => {
  const { services } = stage
  const record = await services.record(hostname)
  await services.api('PATCH', `/zones/${services.at.zoneId}/dns_records/${record?.id}`, live)
  const stack = await stage.stack('dev', { hostname, importRecordId: record?.id ?? '' })

  await services.forget()
  await stack.up()
  expect((await services.writes()).filter(isOfRecord)).toEqual(writes)
  expect(await stack.output('recordId')).toBe(record?.id)
  const adopted = { ...record, ...live, ttl: 120, proxied: false, modified_on: expect.any(String) }
  expect(await services.record(hostname)).toMatchObject(adopted)

  await services.forget()
  await stack.configure({ importRecordId: undefined })
  await stack.up()
  expect(await services.writes()).toEqual([])
  expect(await services.record(hostname)).toMatchObject(adopted)
})
