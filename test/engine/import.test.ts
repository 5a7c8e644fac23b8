import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { Stage } from '../support/engine/stack.ts'

const hostname = 'home.example.com'
const isOfRecord = (write: string) => write.includes('dns_records')

let stage: Stage
beforeEach(async () => {
  stage = await Stage.start(inject('pulumi'))
})
afterEach(() => stage.close())

test('adopts a record of the declared shape with its live address, without a write', async () => {
  const { services } = stage
  const record = await services.record(hostname)
  const path = `/zones/${services.at.zoneId}/dns_records/${record?.id}`
  await services.api('PATCH', path, { content: '203.0.113.77' })
  const stack = await stage.stack('dev', { hostname, importRecordId: record?.id ?? '' })

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

test('adopts a record of another shape with its live address and comment, by one write', async () => {
  const { services } = stage
  const record = await services.record(hostname)
  const path = `/zones/${services.at.zoneId}/dns_records/${record?.id}`
  await services.api('PATCH', path, { content: '203.0.113.78', ttl: 300, comment: 'made by hand' })
  const stack = await stage.stack('dev', { hostname, importRecordId: record?.id ?? '' })

  await services.forget()
  await stack.up()
  expect((await services.writes()).filter(isOfRecord)).toEqual(['PUT /dns_records/*'])
  expect(await services.record(hostname)).toMatchObject({
    id: record?.id,
    content: '203.0.113.78',
    ttl: 120,
    proxied: false,
    comment: 'made by hand',
  })

  await services.forget()
  await stack.configure({ importRecordId: undefined })
  await stack.up()
  expect(await services.writes()).toEqual([])
})
