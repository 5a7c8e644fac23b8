import { describe, expect } from 'vitest'
import { before, scenario, zoneNames } from '../../support/stage.ts'

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
})
