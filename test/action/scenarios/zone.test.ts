import { describe, expect } from 'vitest'
import { after, before, list, put, type Stage, scenario, zoneList } from '../../support/stage.ts'

/** The zone by its name, with a token that can read zones. */
const byName = (stage: Stage, inputs: Readonly<Record<string, string>> = {}) =>
  stage.run({
    'zone-id': '',
    zone: 'example.com',
    'api-token': stage.description.cloudflare.adminToken,
    ...inputs,
  })

const lookup = 'GET /client/v4/zones?name=example.com'
const onZones = { service: 'cloudflare', method: 'GET', path: 'zones$' } as const

describe('a zone that is given by its name', () => {
  scenario('costs one more request', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    const run = await byName(stage, { zone: 'Example.COM.' })
    expect(run.outputs).toMatchObject({ result: 'updated', requests: '6' })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { 'zone-id': stage.description.cloudflare.zoneId },
    ])
    expect(await stage.dnsRequests()).toEqual([lookup, list, put(record)])
  })

  scenario('is looked up once for many names, and shows which it can hold', async ({ stage }) => {
    await stage.setRecords({ content: after })
    const run = await byName(stage, { hostname: 'home.example.com\nnew.example.com', create: 'true' })
    expect(run.outputs['result']).toBe('created')
    expect(await stage.dnsRequests()).toEqual([
      lookup,
      zoneList(),
      'POST dns_records',
      'GET dns_records?name=new.example.com',
    ])
  })

  scenario('needs no list of other names before a creation', async ({ stage }) => {
    await stage.setRecords({ name: 'missing.example.com', content: before })
    expect((await byName(stage, { create: 'true' })).outputs['result']).toBe('created')
    expect(await stage.dnsRequests()).toEqual([lookup, list, 'POST dns_records', list])
  })

  scenario('is not looked up if every name has a zone ID', async ({ stage }) => {
    await stage.setRecords({ content: after })
    const hostname = `home.example.com ${stage.description.cloudflare.zoneId}`
    expect((await byName(stage, { hostname })).outputs['result']).toBe('unchanged')
    expect(await stage.dnsRequests()).toEqual([list])
  })

  scenario('matches the Unicode name that the API returns, beside another zone', async ({ stage }) => {
    await stage.setRecords({ content: after })
    const result = [
      { id: 'a'.repeat(32), name: 'other.example' },
      { id: stage.description.cloudflare.zoneId, name: 'büro.example' },
    ]
    const body = JSON.stringify({ success: true, result })
    await stage.setFaults({ match: onZones, answer: { kind: 'respond', status: 200, body } })
    const run = await byName(stage, { zone: 'xn--bro-hoa.example', hostname: 'a.büro.example' })
    expect(run.outputs['reason']).toBe('record-missing')
  })
})

describe('a zone that cannot be found by its name', () => {
  scenario('because no zone has it: zone-not-found, beside names that have an ID', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    const { zoneId } = stage.description.cloudflare
    const run = await byName(stage, {
      zone: 'missing.example',
      hostname: `a.missing.example\nb.missing.example\nhome.example.com ${zoneId}`,
    })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'zone-not-found', changed: 'true' })
    expect(run.annotations[0]?.message).toMatch(/sees no zone with the name missing\.example.*set zone-id/)
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { result: 'failed', 'zone-id': '' },
      { result: 'failed', 'zone-id': '' },
      { result: 'updated', 'zone-id': zoneId },
    ])
    expect(await stage.dnsRequests()).toEqual([
      'GET /client/v4/zones?name=missing.example',
      list,
      put(record),
    ])
  })

  scenario('because the token may not look it up: zone-not-found', async ({ stage }) => {
    await stage.setFaults({
      match: onZones,
      answer: {
        kind: 'errors',
        status: 403,
        errors: [{ code: 0, message: 'requires permission zone.list' }],
      },
    })
    const run = await byName(stage)
    expect(run.outputs['reason']).toBe('zone-not-found')
    expect(run.annotations[0]?.message).toMatch(/may not look up zones by their name\. Set zone-id instead/)
    expect(await stage.dnsRequests()).toEqual([lookup])
  })

  scenario('because the token is rejected: token-rejected', async ({ stage }) => {
    const run = await byName(stage, { 'api-token': 'x'.repeat(40) })
    expect(run.outputs['reason']).toBe('token-rejected')
    expect(await stage.dnsRequests()).toEqual([lookup])
  })

  scenario('because several have it: zone-not-found, with their IDs', async ({ stage }) => {
    const zones = ['a', 'b'].map(digit => ({ id: digit.repeat(32), name: 'example.com' }))
    const body = JSON.stringify({ success: true, errors: [], messages: [], result: zones })
    await stage.setFaults({ match: onZones, answer: { kind: 'respond', status: 200, body } })
    const run = await byName(stage)
    expect(run.outputs['reason']).toBe('zone-not-found')
    for (const { id } of zones) expect(run.annotations[0]?.message).toContain(id)
  })

  for (const [what, result, info] of [
    ['is no list of zones', [{ id: '../x', name: 'example.com' }], null],
    ['may not be the whole list', [{ id: 'a'.repeat(32), name: 'example.com' }], { total_count: 2 }],
  ] as const) {
    scenario(`because the response ${what}: unexpected`, async ({ stage }) => {
      const body = JSON.stringify({ success: true, result, result_info: info })
      await stage.setFaults({ match: onZones, answer: { kind: 'respond', status: 200, body } })
      expect((await byName(stage)).outputs['reason']).toBe('unexpected')
      expect(await stage.dnsRequests()).toEqual([lookup])
    })
  }
})
