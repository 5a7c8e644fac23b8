import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Stage } from './support/stack.ts'

const hostname = 'home.example.com'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
})
afterAll(() => stage.close())

test('a record that is there already is adopted as it is, with its live address and without a write', async () => {
  const { services } = stage
  const record = await services.record(hostname)
  const path = `/zones/${services.at.zoneId}/dns_records/${record?.id}`
  await services.api('PATCH', path, { content: '203.0.113.77' })
  const stack = await stage.stack('dev', { hostname, importRecordId: record?.id ?? '' })
  const isOfRecord = (write: string) => write.includes('dns_records')

  await services.forget()
  await stack.up()
  expect((await services.writes()).filter(isOfRecord)).toEqual([])
  expect(await stack.output('recordId')).toBe(record?.id)

  await services.forget()
  await stack.configure({ importRecordId: undefined })
  await stack.up()
  expect(await services.writes()).toEqual([])
  expect(await services.record(hostname)).toEqual({
    ...record,
    content: '203.0.113.77',
    modified_on: expect.any(String),
  })
})
