import { describe, expect } from 'vitest'
import { startCommand } from '../../support/command.ts'
import { after, before, list, put, type Stage, scenario, zoneList } from '../../support/stage.ts'

/** A run without a zone ID, with a token that can read zones. */
const byName = (stage: Stage, inputs: Readonly<Record<string, string>> = {}) =>
  stage.run({
    'zone-id': '',
    'api-token': stage.description.cloudflare.adminToken,
    ...inputs,
  })

const lookupOf = (name: string) => `GET /client/v4/zones?name=${name}`
const lookup = lookupOf('example.com')
/** For home.example.com: its own name first, then the zone's. */
const lookups = [lookupOf('home.example.com'), lookup]
const onZones = { service: 'cloudflare', method: 'GET', path: 'zones$' } as const

describe('a zone that is found by the hostname', () => {
  scenario('costs one request for each suffix', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    const run = await byName(stage)
    expect(run.outputs).toMatchObject({ result: 'updated', requests: '7' })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { 'zone-id': stage.description.cloudflare.zoneId },
    ])
    expect(await stage.dnsRequests()).toEqual([...lookups, list, put(record)])
  })

  scenario('is looked up once for all its names, and shows which it can hold', async ({ stage }) => {
    await stage.setRecords({ content: after })
    const run = await byName(stage, { hostname: 'home.example.com\nnew.example.com', create: 'true' })
    expect(run.outputs['result']).toBe('created')
    expect(await stage.dnsRequests()).toEqual([
      lookupOf('home.example.com'),
      lookupOf('new.example.com'),
      lookup,
      zoneList(),
      'POST dns_records',
      'GET dns_records?name=new.example.com',
    ])
  })
})

describe('a watch', () => {
  scenario('finds the zone once', async ({ stage }) => {
    await stage.setRecords({ content: after })
    const token = stage.description.cloudflare.adminToken
    const variables = { ...stage.variables, HOMEPORT_ZONE_ID: '', HOMEPORT_API_TOKEN: token }
    const command = startCommand(['--watch=1s', '--json'], variables)
    await command.printed(/(.*"result":"unchanged".*\n){2}/)
    command.process.kill('SIGTERM')
    expect((await command.ended).status).toBe(0)
    const requests = await stage.dnsRequests()
    expect(requests.filter(request => request !== list)).toEqual(lookups)
    expect(requests.length).toBeGreaterThan(3)
  })
})

describe('a zone that cannot be found by the hostname', () => {
  scenario('because no zone has it: zone-not-found, beside names that have an ID', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    const { zoneId } = stage.description.cloudflare
    const run = await byName(stage, {
      hostname: `a.missing.example\nb.missing.example\nhome.example.com ${zoneId}`,
    })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'zone-not-found', changed: 'true' })
    expect(run.annotations[0]?.message).toMatch(
      /sees no zone for a\.missing\.example.*Set zone-id to the 32 hex digits/,
    )
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { result: 'failed', 'zone-id': '' },
      { result: 'failed', 'zone-id': '' },
      { result: 'updated', 'zone-id': zoneId },
    ])
    expect((await stage.dnsRequests()).toSorted()).toEqual(
      [
        ...['a.missing.example', 'b.missing.example', 'missing.example'].map(lookupOf),
        list,
        put(record),
      ].toSorted(),
    )
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
    expect(run.annotations[0]?.message).toMatch(
      /may not find zones by their name\. .*Set zone-id to the 32 hex digits shown as "Zone ID"/,
    )
    expect(await stage.dnsRequests()).toEqual([lookupOf('home.example.com')])
  })

  scenario('because the response may not be the whole list: unexpected', async ({ stage }) => {
    const result = [{ id: 'a'.repeat(32), name: 'example.com' }]
    const body = JSON.stringify({ success: true, result, result_info: { total_count: 2 } })
    await stage.setFaults({ match: onZones, answer: { kind: 'respond', status: 200, body } })
    expect((await byName(stage)).outputs['reason']).toBe('unexpected')
    expect(await stage.dnsRequests()).toEqual([lookupOf('home.example.com')])
  })
})
