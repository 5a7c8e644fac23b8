import { describe, expect } from 'vitest'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { withNameServer } from '../../support/host.ts'
import { before, scenario } from '../../support/stage.ts'

describe('verify: dns', () => {
  scenario('looks up the name servers of the zone with the resolver of the system', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const env = withNameServer(stage.description.nameServer.port)
    const run = await stage.run({ verify: 'dns' }, { env })
    expect(run.outputs['result']).toBe('updated')
    const { zones } = stateOf(stage.control)
    const named = zones.find(({ id }) => id === stage.description.cloudflare.zoneId)?.nameServers ?? []
    expect(named.length).toBeGreaterThan(1)
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([{ 'served-by': named.toSorted() }])
    for (const text of [run.log, run.summary.replaceAll('\\', '')])
      expect(text).toContain(`Served by ${named.toSorted().join(', ')}.`)
    const queries = (await stage.journal()).filter(({ service }) => service === 'dns')
    const asked = queries.map(({ method, path }) => `${method} ${path}`)
    for (const query of ['NS home.example.com', 'NS example.com', ...named.map(name => `A ${name}`)]) {
      expect(asked).toContain(query)
    }
    expect(asked.filter(query => query === 'A home.example.com')).toHaveLength(named.length)

    const refused = await stage.run({ verify: 'dns', timeout: '5s' }, { env: withNameServer(9) })
    expect(refused.outputs).toMatchObject({ reason: 'not-served', changed: 'false' })
    expect(refused.annotations[0]?.message).toMatch(
      /^Failed to find the name servers of home\.example\.com: ECONNREFUSED\. Set name-servers\./,
    )
  })
})
