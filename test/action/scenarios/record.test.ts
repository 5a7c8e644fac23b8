import { describe, expect } from 'vitest'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { withNameServer } from '../../support/host.ts'
import { after, before, list, put, scenario, zoneNames } from '../../support/stage.ts'
import { runRoundOn } from './round.ts'

describe('one record', () => {
  scenario('unchanged: asks each echo service once, lists once, writes nothing', async ({ stage }) => {
    const [record] = stage.setRecords({ content: after })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({
      result: 'unchanged',
      changed: 'false',
      'previous-address': after,
      drift: '[]',
      requests: '4',
    })
    expect(stage.dnsRequests()).toEqual([list])
    expect(stage.echoRequests()).toEqual([1, 1, 1])
    expect(stage.records()).toEqual([record])
    expect(run.annotations).toEqual([])
    expect(run.summary).toContain('Nothing to do.')
  })

  scenario('changed: sends one PUT with the five fields, and reports the drift', async ({ stage }) => {
    const [record] = stage.setRecords({ content: before, ttl: 300 })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({
      result: 'updated',
      changed: 'true',
      address: after,
      'previous-address': before,
      'record-id': record?.id,
      requests: '5',
    })
    expect(JSON.parse(run.outputs['drift'] ?? '')).toMatchObject([{ field: 'ttl', found: 300, wanted: 120 }])
    expect(run.log).toContain('The ttl of home.example.com (A) was 300 instead of 120. This run changed it.')
    expect(stage.dnsRequests()).toEqual([list, put(record)])
    const sent = stage.journal().find(entry => entry.method === 'PUT')?.body
    expect(JSON.parse(sent ?? '')).toEqual({
      type: 'A',
      name: 'home.example.com',
      content: after,
      ttl: 120,
      proxied: false,
    })
    expect(stage.records()).toMatchObject([{ id: record?.id, content: after, ttl: 120, proxied: false }])
    for (const text of ['home.example.com', before, after, 'updated', '5 requests']) {
      expect(run.summary.replaceAll('\\', '')).toContain(text)
    }
  })
})

scenario(
  'a record below NS records is red although its address is correct or was updated, unless it is glue',
  async ({ stage }) => {
    const ns = (name: string, content: string) => ({ type: 'NS', name, content })
    const hidden = 'home.sub.example.com'
    const dead = 'ns.deep.sub.example.com'
    const glue = 'ns.sub.example.com'
    const [above] = stage.setRecords(
      ns('sub.example.com', glue),
      ns('deep.sub.example.com', dead),
      { name: hidden, content: after },
      { name: dead, content: before },
      { name: glue, content: after },
      { content: before },
    )
    const hostname = `home.example.com\n${hidden}\n${dead}\n${glue}`
    const { records, problems } = await runRoundOn(stage, { hostname })
    expect(records).toMatchObject([
      { result: 'updated', changed: true },
      { result: 'failed', reason: 'not-served', changed: false, address: after },
      { result: 'failed', reason: 'not-served', changed: true },
      { result: 'unchanged' },
    ])
    expect(problems[0]).toContain(`Cloudflare stores ${after} for ${hidden} (A), but nobody is served it`)
    expect(problems[0]).toContain(`(id ${above?.id})`)
  },
)

scenario('a proxied record stays proxied unless proxied is false, and a note says so', async ({ stage }) => {
  const theirs = { comment: 'web', settings: { ipv4_only: true } }
  const proxied = { content: before, proxied: true, ttl: 1, ...theirs }
  const [record] = stage.setRecords(proxied)
  expect(await runRoundOn(stage)).toMatchObject({
    result: 'updated',
    drift: [],
    warnings: ['home.example.com (A) is proxied, and stays so because proxied is not set.'],
  })
  expect(stage.records()).toMatchObject([{ id: record?.id, content: after, proxied: true, ...theirs }])
  const sent = stage.journal().find(entry => entry.method === 'PUT')?.body
  expect(JSON.parse(sent ?? '')).toMatchObject({ ttl: 120, proxied: true })
  expect((await runRoundOn(stage)).warnings).toEqual([])

  stage.setRecords(proxied)
  const { drift } = await runRoundOn(stage, { proxied: 'false' })
  expect(drift).toContainEqual({ field: 'proxied', found: true, wanted: false })
  expect(stage.records()).toMatchObject([{ content: after, proxied: false, ttl: 120 }])
})

describe('options', () => {
  scenario('create: not if the other records show that the zone cannot hold the name', async ({ stage }) => {
    const records = stage.setRecords({ content: before }, { name: 'www.example.com', content: before })
    const run = await runRoundOn(stage, { hostname: 'home.other.example', create: 'true' })
    expect(run).toMatchObject({ result: 'failed', reason: 'record-missing', changed: false })
    expect(run.problems[0]).toContain('records all end with "example.com"')
    expect(stage.dnsRequests()).toEqual(['GET dns_records?name=home.other.example', zoneNames])
    expect(stage.records()).toEqual(records)
  })

  scenario('dry-run: reports the change and writes nothing', async ({ stage }) => {
    const records = stage.setRecords({ content: before })
    const { summary, ...run } = await runRoundOn(stage, { 'dry-run': 'true' })
    expect(run).toMatchObject({
      result: 'would-update',
      changed: false,
      address: after,
      'previous-address': before,
    })
    expect(stage.dnsRequests()).toEqual([list])
    expect(stage.records()).toEqual(records)
    expect(summary).toContain(`| A | ${before} | ${after} | would-update |`)
    expect(summary).toContain('To write home.example.com, run without dry-run.')
    expect(summary).not.toContain('Nothing to do')
    stage.setRecords()
    expect(await runRoundOn(stage, { 'dry-run': 'true', create: 'true' })).toMatchObject({
      result: 'would-create',
    })
    expect(stage.records()).toEqual([])
  })
})

scenario(
  'a zone found by the hostname costs one request a suffix, and fails no other name',
  async ({ stage }) => {
    const { zoneId, adminToken } = stage.description.cloudflare
    const [record] = stage.setRecords({ content: before })
    const hostname = 'home.example.com\na.missing.example'
    const run = await runRoundOn(stage, { 'zone-id': '', 'api-token': adminToken, hostname })
    expect(run).toMatchObject({
      result: 'failed',
      reason: 'zone-not-found',
      changed: true,
      records: [
        { result: 'updated', 'zone-id': zoneId },
        { result: 'failed', 'zone-id': '' },
      ],
      problems: [expect.stringMatching(/sees no zone for a\.missing\.example.*Set zone-id to/)],
    })
    const names = ['home.example.com', 'example.com', 'a.missing.example', 'missing.example']
    const asked = [...names.map(name => `GET /client/v4/zones?name=${name}`), list, put(record)]
    expect(stage.dnsRequests().toSorted()).toEqual(asked.toSorted())
  },
)

scenario(
  'verify: dns looks up the name servers of the zone with the resolver of the system',
  async ({ stage }) => {
    stage.setRecords({ content: before })
    const env = withNameServer(stage.description.nameServer.port)
    const run = await stage.run({ verify: 'dns' }, { env })
    expect(run.outputs['result']).toBe('updated')
    const { zones } = stateOf(stage.control)
    const named = zones.find(({ id }) => id === stage.description.cloudflare.zoneId)?.nameServers ?? []
    expect(named.length).toBeGreaterThan(1)
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([{ 'served-by': named.toSorted() }])
    for (const text of [run.log, run.summary.replaceAll('\\', '')])
      expect(text).toContain(`Served by ${named.toSorted().join(', ')}.`)
    const queries = stage.journal().filter(({ service }) => service === 'dns')
    const asked = queries.map(({ method, path }) => `${method} ${path}`)
    for (const query of ['NS home.example.com', 'NS example.com', ...named.map(name => `A ${name}`)]) {
      expect(asked).toContain(query)
    }
    expect(asked.filter(query => query === 'A home.example.com')).toHaveLength(named.length)
  },
)
