import { describe, expect } from 'vitest'
import { withNameServer } from '../../support/host.ts'
import { before, type Stage, scenario } from '../../support/stage.ts'

const servers = ({ description }: Stage) => description.nameServers.map(({ host, port }) => `${host}:${port}`)

const servedBy = (run: { readonly outputs: Readonly<Record<string, string>> }) =>
  JSON.parse(run.outputs['records'] ?? '[]').map((record: { 'served-by'?: unknown }) => record['served-by'])

const queries = async (stage: Stage) =>
  (await stage.journal())
    .filter(({ service }) => service === 'dns')
    .map(({ method, path, instance }) => `${instance} ${method} ${path}`)

describe('verify: dns', () => {
  scenario('lists the name servers that serve an update', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const run = await stage.run({ verify: 'dns', 'name-servers': servers(stage).join('\n') })
    expect(run.outputs).toMatchObject({ result: 'updated', changed: 'true', requests: '5' })
    expect(servedBy(run)).toEqual([servers(stage)])
    for (const text of [run.log, run.summary.replaceAll('\\', '')])
      expect(text).toContain(`Served by ${servers(stage).toSorted().join(', ')}.`)
    const each = [0, 1].flatMap(server => [`${server} A home.example.com`, `${server} NS com`])
    expect((await queries(stage)).toSorted()).toEqual(each)
  })

  scenario('looks up the name servers of the zone with the resolver of the system', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const env = withNameServer(stage.description.nameServer.port)
    const run = await stage.run({ verify: 'dns' }, { env })
    expect(run.outputs['result']).toBe('updated')
    const { zones } = (await stage.control('GET', '/state')) as {
      zones: { id: string; nameServers: string[] }[]
    }
    const named = zones.find(({ id }) => id === stage.description.cloudflare.zoneId)?.nameServers ?? []
    expect(named.length).toBeGreaterThan(1)
    expect(servedBy(run)).toEqual([named.toSorted()])
    const asked = (await queries(stage)).map(query => query.slice(2))
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
