import { describe, expect } from 'vitest'
import { startCommand } from '../../support/command.ts'
import { after, before, list, put, scenario } from '../../support/stage.ts'

const lookupOf = (name: string) => `GET /client/v4/zones?name=${name}`

describe('a zone that is found by the hostname', () => {
  scenario('costs one request for each suffix, and lets other names be updated', async ({ stage }) => {
    const { zoneId, adminToken } = stage.description.cloudflare
    const [record] = await stage.setRecords({ content: before })
    const hostname = 'home.example.com\na.missing.example'
    const run = await stage.run({ 'zone-id': '', 'api-token': adminToken, hostname })
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'zone-not-found', changed: 'true' })
    expect(run.annotations[0]?.message).toMatch(/sees no zone for a\.missing\.example.*Set zone-id to/)
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { result: 'updated', 'zone-id': zoneId },
      { result: 'failed', 'zone-id': '' },
    ])
    const names = ['home.example.com', 'example.com', 'a.missing.example', 'missing.example']
    const asked = [...names.map(lookupOf), list, put(record)]
    expect((await stage.dnsRequests()).toSorted()).toEqual(asked.toSorted())
  })

  scenario('is looked up once by a watch', async ({ stage }) => {
    await stage.setRecords({ content: after })
    const token = stage.description.cloudflare.adminToken
    const variables = { ...stage.variables, HOMEPORT_ZONE_ID: '', HOMEPORT_API_TOKEN: token }
    const command = startCommand(['--watch=1s', '--json'], variables)
    await command.printed(/(.*"result":"unchanged".*\n){2}/)
    command.process.kill('SIGTERM')
    expect((await command.ended).status).toBe(0)
    const requests = await stage.dnsRequests()
    const others = requests.filter(request => request !== list)
    expect(others).toEqual(['home.example.com', 'example.com'].map(lookupOf))
    expect(requests.length).toBeGreaterThan(3)
  })
})
