import { describe, expect } from 'vitest'
import { after, before, list, onList, onPut, put, scenario, zoneNames } from '../../support/stage.ts'

describe('one record', () => {
  scenario('unchanged: asks each echo service once, lists once, writes nothing', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: after })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({
      result: 'unchanged',
      changed: 'false',
      address: after,
      'previous-address': after,
      'record-id': record?.id,
      drift: '[]',
      requests: '4',
      reason: '',
    })
    expect(await stage.dnsRequests()).toEqual([list])
    expect(await stage.echoRequests()).toEqual([1, 1, 1])
    expect(await stage.records()).toEqual([record])
    expect(run.annotations).toEqual([])
    expect(run.summary).toContain('Nothing to do.')
  })

  scenario('changed: sends one PUT with the five fields', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({
      result: 'updated',
      changed: 'true',
      address: after,
      'previous-address': before,
      'record-id': record?.id,
      requests: '5',
    })
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
    const sent = (await stage.journal()).find(entry => entry.method === 'PUT')?.body
    expect(JSON.parse(sent ?? '')).toEqual({
      type: 'A',
      name: 'home.example.com',
      content: after,
      ttl: 120,
      proxied: false,
    })
    expect(await stage.records()).toMatchObject([
      { id: record?.id, content: after, ttl: 120, proxied: false },
    ])
    for (const text of ['home.example.com', before, after, 'updated', '5 requests']) {
      expect(run.summary.replaceAll('\\', '')).toContain(text)
    }
  })

  scenario('no record: fails and writes nothing', async ({ stage }) => {
    await stage.setRecords({ name: 'other.example.com', content: before })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'record-missing', 'previous-address': '' })
    expect(run.annotations[0]?.message).toMatch(
      /no record in this zone. Check its spelling first.*set create: true/s,
    )
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('several A records: fails and names their ids', async ({ stage }) => {
    const records = await stage.setRecords({ content: before }, { content: '192.0.2.11' })
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('record-ambiguous')
    for (const { id } of records) expect(run.annotations[0]?.message).toContain(id)
    expect(await stage.dnsRequests()).toEqual([list])
  })
})

describe('a record below NS records', () => {
  const ns = (name: string, content: string) => ({ type: 'NS', name, content })
  const hidden = 'home.sub.example.com'
  const dead = 'ns.deep.sub.example.com'
  const glue = 'ns.sub.example.com'

  scenario('is red although its address is correct or was updated, unless it is glue', async ({ stage }) => {
    const [above] = await stage.setRecords(
      ns('sub.example.com', glue),
      ns('deep.sub.example.com', dead),
      { name: hidden, content: after },
      { name: dead, content: before },
      { name: glue, content: after },
      { content: before },
    )
    const run = await stage.run({ hostname: `home.example.com\n${hidden}\n${dead}\n${glue}` })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { result: 'updated', changed: true },
      { result: 'failed', reason: 'not-served', changed: false, address: after },
      { result: 'failed', reason: 'not-served', changed: true },
      { result: 'unchanged' },
    ])
    const [first] = run.annotations.map(({ message }) => message)
    expect(first).toContain(
      `Cloudflare stores ${after} for ${hidden} (A), but nobody is served it: NS records at this name or above it ` +
        `(id ${above?.id}) delegate the name to other name servers. Delete these NS records, or `,
    )
  })

  scenario('is shown by the list that finds it, without another request', async ({ stage }) => {
    const [, record] = await stage.setRecords(ns('sub.example.com', 'ns.example.net'), {
      name: hidden,
      content: before,
      ttl: 300,
    })
    const drift = `The ttl of ${hidden} (A) was 300 instead of 120.`
    const listed = `GET dns_records?name=${hidden}`
    const dryRun = await stage.run({ hostname: hidden, 'dry-run': 'true' })
    expect(dryRun.outputs).toMatchObject({ reason: 'not-served', changed: 'false', requests: '4' })
    expect(dryRun.log).toContain(`${drift} The update would change it.`)
    const run = await stage.run({ hostname: hidden })
    expect(run.outputs).toMatchObject({ reason: 'not-served', changed: 'true', requests: '5' })
    expect(run.log).toContain(`${drift} This run changed it.`)
    expect(await stage.dnsRequests()).toEqual([listed, put(record)])
    const entry = (await stage.journal()).find(({ query }) => query.startsWith('name='))
    expect(entry?.query).toBe(`name=${hidden}&include_shadow_metadata=true`)
    const waiting = { verify: 'dns', 'name-servers': '127.0.0.1:9' }
    const unasked = await stage.run({ hostname: hidden, ...waiting })
    expect(unasked.annotations[0]?.message).toContain('(id ')
    expect(unasked.log).toMatch(/^4 requests in [0-4]\./m)
    const created = await stage.run({ hostname: `new.${hidden}`, create: 'true' })
    expect(created.outputs).toMatchObject({ result: 'failed', reason: 'not-served', changed: 'true' })
  })
})

describe('settings that people changed on the record', () => {
  const mine = {
    comment: 'the box in the attic',
    tags: ['owner:me'],
    settings: { ipv4_only: true },
    private_routing: true,
  }

  scenario('is red if the service loses one of them, and says which', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before, ...mine })
    const answer = { kind: 'alter', result: { comment: null } }
    await stage.setFaults({ match: onPut, commit: true, answer }, { match: onList, skip: 1, answer })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed', changed: 'true' })
    expect(run.annotations[0]?.message).toMatch(
      /was written, but reading it back, the record shows comment "" instead of "the box in the attic"\. Set that again by hand/,
    )
    expect(await stage.dnsRequests()).toEqual([list, put(record), list])
  })
})

describe('options', () => {
  scenario('create: creates a missing record', async ({ stage }) => {
    await stage.setRecords({ type: 'TXT', content: 'beside' })
    const run = await stage.run({ create: 'true' })
    const created = (await stage.records()).find(({ type }) => type === 'A')
    expect(run.outputs).toMatchObject({
      result: 'created',
      changed: 'true',
      'previous-address': '',
      'record-id': created?.id,
    })
    expect(created).toMatchObject({ name: 'home.example.com', content: after, ttl: 120, proxied: false })
    expect(await stage.dnsRequests()).toEqual([list, zoneNames, 'POST dns_records', list])
  })

  scenario('dry-run: reports the change and writes nothing', async ({ stage }) => {
    const records = await stage.setRecords({ content: before })
    const run = await stage.run({ 'dry-run': 'true' })
    expect(run.outputs).toMatchObject({
      result: 'would-update',
      changed: 'false',
      address: after,
      'previous-address': before,
    })
    expect(await stage.dnsRequests()).toEqual([list])
    expect(await stage.records()).toEqual(records)
    expect(run.summary.replaceAll('\\', '')).toContain('To write home.example.com, run without dry-run.')
    expect(run.summary).not.toContain('Nothing to do')
    await stage.setRecords()
    expect((await stage.run({ 'dry-run': 'true', create: 'true' })).outputs['result']).toBe('would-create')
    expect(await stage.records()).toEqual([])
  })
})
