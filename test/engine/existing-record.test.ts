import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { hostname, type Stack, Stage } from '../support/engine/stack.ts'

const pack = join(root, 'infra/policy')

let stage: Stage
let stack: Stack
beforeEach(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
})
afterEach(() => stage.close())

const isOfRecord = (write: string) => write.includes('/dns_records')
const recordsPath = () => `/zones/${stage.services.at.zoneId}/dns_records`

/** Creates a record by hand, and resolves to its id. */
async function createRecord(record: Readonly<Record<string, unknown>>): Promise<string> {
  const body = { name: hostname, ttl: 300, proxied: false, ...record }
  return (await stage.services.api<{ id: string }>('POST', recordsPath(), body)).id
}

async function contentsOf(name: string): Promise<string[]> {
  const found = await stage.services.api<{ content: string }[]>('GET', `${recordsPath()}?name=${name}`)
  return found.map(({ content }) => content)
}

/** Counts the lists of records since the journals were cleared. */
async function lists(): Promise<number> {
  const { entries } = (await stage.services.control('GET', '/journal')) as {
    entries: { method: string; path: string }[]
  }
  return entries.filter(({ method, path }) => method === 'GET' && path.endsWith('/dns_records')).length
}

/** Expects a preview with the policies and an up without them to end red with these texts, and with no write to the zone. */
async function refuses(...texts: (string | RegExp)[]): Promise<void> {
  await stage.services.forget()
  for (const args of [
    ['preview', '--policy-pack', pack],
    ['up', '--yes', '--skip-preview'],
  ]) {
    const { status, output } = await stack.run(args)
    expect(status, output).not.toBe(0)
    for (const text of texts) expect(output.replace(/\s+/g, ' ')).toMatch(text)
  }
  expect((await stage.services.writes()).filter(isOfRecord)).toEqual([])
}

it('refuses a second A record in preview and up, and adopts the first as it says', async () => {
  const id = await createRecord({
    type: 'A',
    content: '203.0.113.50',
    comment: 'made by hand',
    tags: ['team:net'],
  })
  await refuses(
    `${hostname} already has an A record: "${id}"`,
    `pulumi config set --plaintext importRecordId ${id}, then pulumi up`,
  )
  await stack.configure({ importRecordId: id })
  await stage.services.forget()
  await stack.up('--policy-pack', pack)
  // Its ttl is another.
  expect((await stage.services.writes()).filter(isOfRecord)).toEqual(['PUT /dns_records/*'])
  await stack.configure({ importRecordId: undefined })
  expect((await stack.run(['preview', '--expect-no-changes', '--policy-pack', pack])).output).toMatch(
    /unchanged/,
  )
  expect(await contentsOf(hostname)).toEqual(['203.0.113.50'])
  expect(await stage.services.record(hostname)).toMatchObject({
    id,
    ttl: 120,
    comment: 'made by hand',
    tags: ['team:net'],
  })
})

it('names every record of the hostname, and none to delete', async () => {
  const ids = [
    await createRecord({ type: 'A', content: '203.0.113.50' }),
    await createRecord({ type: 'A', content: '203.0.113.51' }),
  ]
  await refuses(/already has 2 A records/, ids[0] ?? '', ids[1] ?? '', /importRecordId RECORD_ID/)
  expect((await stack.run(['preview'])).output).not.toMatch(/203\.0\.113|[Dd]elete/)
})

it('refuses a name with a CNAME in other words', async () => {
  const id = await createRecord({ type: 'CNAME', content: 'elsewhere.example.net' })
  await refuses(`${hostname} has a CNAME record ("${id}"), so it cannot have an A record`)
})

it('refuses to create what it cannot look for', async () => {
  const { services } = stage
  await services.setFaults({
    match: { method: 'GET', path: '/dns_records$' },
    times: null,
    answer: { kind: 'errors', status: 403, errors: [{ code: 10000, message: 'Authentication error' }] },
  })
  await refuses(/before creating one: the service answered 403/, /permission DNS Write for zone/)
  await services.setFaults({
    match: { method: 'GET', path: '/dns_records$' },
    times: null,
    answer: { kind: 'reset' },
  })
  await refuses(/before creating one: no answer/)
})

it('looks for records only before it creates one', async () => {
  await stage.services.forget()
  await stack.up()
  expect(await lists()).toBe(1)
  await stage.services.forget()
  await stack.up()
  expect(await lists()).toBe(0)
  const record = await stage.services.record(hostname)
  await stage.services.api('DELETE', `${recordsPath()}/${record?.id}`)
  await stack.up()
  expect(await contentsOf(hostname)).toEqual(['192.0.2.1'])
})

it('refuses to import the record that a failed first up left in the state, and keeps it', async () => {
  const { services } = stage
  await services.setFaults({
    match: { method: 'POST', path: '/d1/database$' },
    answer: { kind: 'stall' },
  })
  expect((await stack.tryUp()).status).not.toBe(0)
  await services.setFaults()
  expect((await stack.run(['stack', 'output', 'recordId'])).status).not.toBe(0)
  const record = await services.record(hostname)
  await stack.configure({ importRecordId: record?.id })
  await refuses(
    `importRecordId is ${record?.id}, which the stack already has`,
    'pulumi config rm importRecordId',
  )
  expect(await services.record(hostname)).toEqual(record)
  await stack.configure({ importRecordId: undefined })
  await stack.up()
  expect(await services.record(hostname)).toEqual(record)
})

it('refuses to import another record than the one in the state, until that is left to its owner', async () => {
  const { services } = stage
  await stack.up()
  const own = await services.record(hostname)
  const id = await createRecord({ type: 'A', content: '203.0.113.50' })
  await stack.configure({ importRecordId: id })
  await refuses(`the stack already has the record "${own?.id}", which the import would delete`)
  const { output } = await stack.run(['preview'])
  const [, urn = ''] = /pulumi state delete --force '([^']+)'/.exec(output.replace(/\n\s*/g, '')) ?? []
  await stack.must(['state', 'delete', '--force', '--yes', urn])
  await stack.up()
  expect(await stack.output('recordId')).toBe(id)
  expect((await contentsOf(hostname)).toSorted()).toEqual(['192.0.2.1', '203.0.113.50'])
})

it('refuses another zone, and says how to leave the record where it is', async () => {
  await stack.up()
  const own = await stage.services.record(hostname)
  await stack.configure({ zoneId: 'f'.repeat(32) })
  await refuses(`For the record "${own?.id}", zoneId is ${'f'.repeat(32)}`, /pulumi state delete --force/)
  expect(await stage.services.record(hostname)).toEqual(own)
})
