import { describe, expect } from 'vitest'
import { before, list, onList, put, scenario, zoneList, zoneNames } from '../../support/stage.ts'

const post = 'POST dns_records'

describe('a name that the zone cannot hold', () => {
  const hostname = 'home.other.example'
  const otherList = `GET dns_records?name=${hostname}`

  scenario(
    'is not created, because the other records show that it does not belong to the zone',
    async ({ stage }) => {
      const records = await stage.setRecords(
        { content: before },
        { name: 'www.example.com', content: before },
      )
      const run = await stage.run({ hostname, create: 'true' })
      expect(run.outputs).toMatchObject({ result: 'failed', reason: 'record-missing', changed: 'false' })
      expect(run.annotations[0]?.message).toMatch(
        /does not belong to zone .* records all end with "example\.com"/,
      )
      expect(await stage.dnsRequests()).toEqual([otherList, zoneNames])
      expect(await stage.records()).toEqual(records)
    },
  )

  scenario('is not created in a dry run, nor beside other names', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    const dry = await stage.run({ hostname, create: 'true', 'dry-run': 'true' })
    expect(dry.outputs['reason']).toBe('record-missing')
    const run = await stage.run({ hostname: `${hostname}\nhome.example.com`, create: 'true' })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { hostname, result: 'failed', reason: 'record-missing', changed: false },
      { hostname: 'home.example.com', result: 'updated', changed: true },
    ])
    expect(await stage.dnsRequests()).toEqual([zoneList(), put(record)])
  })

  scenario('is reported with its id and what to do if an empty zone let it be created', async ({ stage }) => {
    await stage.setRecords()
    const run = await stage.run({ hostname, create: 'true' })
    const [created] = await stage.records()
    expect(created?.name).toBe(`${hostname}.example.com`)
    expect(run.outputs).toMatchObject({
      result: 'failed',
      reason: 'write-unconfirmed',
      changed: 'true',
      'record-id': created?.id,
    })
    expect(run.annotations[0]?.message).toContain(
      `created "${created?.name}" (id ${created?.id}) instead of ${hostname}`,
    )
    expect(run.annotations[0]?.message).toContain(`Delete the record ${created?.id}`)
    expect(await stage.dnsRequests()).toEqual([otherList, zoneNames, post])
  })

  scenario('is not created when the other names cannot be read', async ({ stage }) => {
    await stage.setRecords({ name: 'www.example.com', content: before })
    await stage.setFaults({ match: onList, skip: 1, times: null, answer: { kind: 'reset' } })
    const run = await stage.run({ create: 'true' })
    expect(run.outputs).toMatchObject({ reason: 'service-unavailable', changed: 'false' })
    expect(await stage.dnsRequests()).toEqual([list, zoneNames, zoneNames, zoneNames])
  })
})
