import { describe, expect } from 'vitest'
import { after, before, list, onPost, put, scenario } from '../../support/stage.ts'

describe('one record', () => {
  scenario('unchanged: one request an echo and one list, nothing written', async ({ stage }) => {
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
    expect(run.summary).toContain('Nothing is left to do')
  })

  scenario('changed: one PUT more, of the five fields', async ({ stage }) => {
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

  scenario('the list is sent while the echoes are asked, not after them', async ({ stage }) => {
    await stage.setRecords({ content: after })
    await stage.setEchoes({ body: after, delayMs: 3000 })
    expect((await stage.run()).outputs['result']).toBe('unchanged')
    const arrivals = (await stage.journal()).map(entry => Date.parse(entry.at))
    expect(arrivals).toHaveLength(4)
    expect(Math.max(...arrivals) - Math.min(...arrivals)).toBeLessThan(2500)
  })

  scenario('none at the name: red, nothing written', async ({ stage }) => {
    await stage.setRecords({ name: 'other.example.com', content: before })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'record-missing', 'previous-address': '' })
    expect(run.annotations[0]?.message).toMatch(/no record in this zone.*create: true/s)
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('several A records: red, their ids listed', async ({ stage }) => {
    const records = await stage.setRecords({ content: before }, { content: '192.0.2.11' })
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('record-ambiguous')
    for (const { id } of records) expect(run.annotations[0]?.message).toContain(id)
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('only other types at the name: they are never written to', async ({ stage }) => {
    const records = await stage.setRecords(
      { type: 'TXT', content: 'v=spf1 -all' },
      { type: 'AAAA', content: '2001:db8::1' },
    )
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('record-missing')
    expect(run.annotations[0]?.message).toMatch(/no A record, only "TXT", "AAAA"/)
    expect(await stage.dnsRequests()).toEqual([list])
    expect(await stage.records()).toEqual(records)
  })

  scenario('other types beside the A record: only the A record is written', async ({ stage }) => {
    const [text, record] = await stage.setRecords(
      { type: 'TXT', content: 'v=spf1 -all' },
      { content: before },
    )
    expect((await stage.run()).outputs['result']).toBe('updated')
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
    expect((await stage.records()).find(({ id }) => id === text?.id)).toEqual(text)
  })

  scenario('a CNAME at the name: red, never replaced', async ({ stage }) => {
    const records = await stage.setRecords({ type: 'CNAME', content: 'router.example.net' })
    const run = await stage.run({ create: 'true' })
    expect(run.outputs['reason']).toBe('record-conflict')
    expect(await stage.dnsRequests()).toEqual([list])
    expect(await stage.records()).toEqual(records)
  })

  scenario('managed by another product: red, left alone', async ({ stage }) => {
    await stage.setRecords({ content: before, meta: { read_only: true } })
    expect((await stage.run()).outputs['reason']).toBe('record-read-only')
    expect(await stage.dnsRequests()).toEqual([list])
  })
})

describe('names', () => {
  scenario('mixed case and a trailing dot are the stored name', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    expect((await stage.run({ hostname: 'Home.EXAMPLE.com.' })).outputs['result']).toBe('updated')
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
  })

  scenario('a Unicode name is asked for and written in Punycode', async ({ stage }) => {
    const [record] = await stage.setRecords({ name: 'xn--bro-hoa.example.com', content: before })
    const run = await stage.run({ hostname: 'büro.example.com' })
    expect(run.outputs['result']).toBe('updated')
    expect(await stage.dnsRequests()).toEqual(['GET dns_records?name=xn--bro-hoa.example.com', put(record)])
    expect(await stage.records()).toMatchObject([{ name: 'xn--bro-hoa.example.com', content: after }])
  })

  scenario('a wildcard is a record of its own, not every name below', async ({ stage }) => {
    const [wildcard, host] = await stage.setRecords(
      { name: '*.example.com', content: before },
      { content: before },
    )
    expect((await stage.run({ hostname: '*.example.com' })).outputs['result']).toBe('updated')
    expect(await stage.dnsRequests()).toEqual(['GET dns_records?name=*.example.com', put(wildcard)])
    expect((await stage.records()).find(({ id }) => id === host?.id)?.content).toBe(before)
  })
})

describe('what a person put on the record', () => {
  scenario('comment, tags and settings survive the replacement', async ({ stage }) => {
    const mine = { comment: 'the box in the attic', tags: ['owner:me'], settings: { ipv4_only: true } }
    await stage.setRecords({ content: before, ...mine })
    expect((await stage.run()).outputs['result']).toBe('updated')
    expect(await stage.records()).toMatchObject([{ content: after, ...mine }])
  })

  scenario('another ttl is warned of and left, while the address is right', async ({ stage }) => {
    const records = await stage.setRecords({ content: after, ttl: 300 })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'unchanged', changed: 'false' })
    expect(JSON.parse(run.outputs['drift'] ?? '')).toEqual([{ field: 'ttl', found: 300, wanted: 120 }])
    expect(run.annotations).toMatchObject([
      { level: 'warning', message: expect.stringContaining('on-drift: repair') },
    ])
    expect(await stage.dnsRequests()).toEqual([list])
    expect(await stage.records()).toEqual(records)
  })

  scenario('another ttl is repaired where that was asked for', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: after, ttl: 300 })
    const run = await stage.run({ 'on-drift': 'repair' })
    expect(run.outputs).toMatchObject({ result: 'updated', changed: 'true' })
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
    expect(await stage.records()).toMatchObject([{ content: after, ttl: 120 }])
  })

  scenario('ttl and proxy that a change of address changes with it are warned of', async ({ stage }) => {
    await stage.setRecords({ content: before, ttl: 1, proxied: true })
    const run = await stage.run()
    expect(run.outputs['result']).toBe('updated')
    expect(JSON.parse(run.outputs['drift'] ?? '')).toEqual([
      { field: 'ttl', found: 1, wanted: 120 },
      { field: 'proxied', found: true, wanted: false },
    ])
    expect(run.annotations.map(({ level }) => level)).toEqual(['warning', 'warning'])
    expect(await stage.records()).toMatchObject([{ content: after, ttl: 120, proxied: false }])
  })

  scenario('a proxied record that is to be proxied has no drift in its ttl', async ({ stage }) => {
    await stage.setRecords({ content: after, ttl: 1, proxied: true })
    const run = await stage.run({ proxied: 'true', 'on-drift': 'repair' })
    expect(run.outputs).toMatchObject({ result: 'unchanged', drift: '[]' })
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('a proxied record follows its address, its ttl read as automatic', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before, ttl: 1, proxied: true })
    const run = await stage.run({ proxied: 'true' })
    expect(run.outputs).toMatchObject({ result: 'updated', drift: '[]' })
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
    expect(await stage.records()).toMatchObject([{ content: after, ttl: 1, proxied: true }])
  })
})

describe('beyond the contract, on demand', () => {
  scenario('create makes the record, and its name comes back', async ({ stage }) => {
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
    expect(await stage.dnsRequests()).toEqual([list, 'POST dns_records'])
  })

  scenario('create that comes back under another name is not taken for done', async ({ stage }) => {
    await stage.setRecords()
    const elsewhere = { kind: 'alter', result: { name: 'home.example.com.example.com' } } as const
    await stage.setFaults({ match: onPost, times: null, answer: elsewhere })
    const run = await stage.run({ create: 'true' })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'write-unconfirmed', changed: 'false' })
    expect(run.annotations[0]?.message).toMatch(
      /name "home.example.com.example.com" instead of home.example.com/,
    )
    expect(await stage.dnsRequests()).toEqual([list, 'POST dns_records', list])
  })

  scenario('dry run decides and writes nothing', async ({ stage }) => {
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
    await stage.setRecords()
    expect((await stage.run({ 'dry-run': 'true', create: 'true' })).outputs['result']).toBe('would-create')
    expect(await stage.records()).toEqual([])
  })

  scenario('a given address needs no echo', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    const run = await stage.run({ address: '203.0.113.77' }, { env: { RUNNER_ENVIRONMENT: 'github-hosted' } })
    expect(run.outputs).toMatchObject({ result: 'updated', address: '203.0.113.77', requests: '2' })
    expect(await stage.echoRequests()).toEqual([0, 0, 0])
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
  })
})

describe('several hostnames', () => {
  scenario('are all planned, and a bad one does not hold up a good one', async ({ stage }) => {
    const [, work] = await stage.setRecords(
      { name: 'home.example.com', content: after },
      { name: 'work.example.com', content: before },
    )
    const run = await stage.run({ hostname: 'home.example.com\ngone.example.com\nwork.example.com' })
    expect(run.status).toBe(1)
    expect(run.outputs).toMatchObject({
      result: 'failed',
      reason: 'record-missing',
      changed: 'true',
      'previous-address': after,
    })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { hostname: 'home.example.com', result: 'unchanged', reason: null },
      { hostname: 'gone.example.com', result: 'failed', reason: 'record-missing' },
      { hostname: 'work.example.com', result: 'updated', 'previous-address': before, address: after },
    ])
    const requests = await stage.dnsRequests()
    expect(requests.slice(0, 3).toSorted()).toEqual([
      'GET dns_records?name=gone.example.com',
      'GET dns_records?name=home.example.com',
      'GET dns_records?name=work.example.com',
    ])
    expect(requests.slice(3)).toEqual([put(work)])
  })

  scenario('may lie in zones of their own; the result is the gravest', async ({ stage }) => {
    await stage.setRecords({ content: after }, { name: 'work.example.com', content: before })
    const { zoneId, adminToken } = stage.description.cloudflare
    const state = (await stage.control('GET', '/state')) as { zones: { id: string; name: string }[] }
    const other = state.zones.find(({ id }) => id !== zoneId)
    const hostname = `home.example.com\nwork.example.com ${zoneId}\nhome.${other?.name} ${other?.id}`
    const run = await stage.run({ hostname, 'api-token': adminToken })
    expect(run.outputs).toMatchObject({ result: 'updated', changed: 'true' })
    expect(JSON.parse(run.outputs['records'] ?? '').map(({ result }: { result: string }) => result)).toEqual([
      'unchanged',
      'updated',
      'updated',
    ])
  })
})
