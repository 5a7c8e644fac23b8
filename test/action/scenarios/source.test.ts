import { describe, expect } from 'vitest'
import { withInterfaces } from '../../support/host.ts'
import { after, before, list, put, scenario } from '../../support/stage.ts'

describe('the address of another hostname', () => {
  scenario('is used on a GitHub-hosted runner too, from two resolvers', async ({ stage }) => {
    const [record] = await stage.setRecords(
      { content: before },
      { name: 'router.example.com', content: after, ttl: 90 },
    )
    const resolvers = stage.description.doh.join('\n')
    const run = await stage.run(
      { 'address-sources': 'dns:router.example.com', 'doh-resolvers': resolvers },
      { env: { RUNNER_ENVIRONMENT: 'github-hosted' } },
    )
    expect(run.outputs).toMatchObject({ result: 'updated', address: after, requests: '4' })
    const asked = (await stage.journal()).flatMap(({ service, instance }) =>
      service === 'doh' ? [instance] : [],
    )
    expect(asked.toSorted()).toEqual([0, 1])
    expect(await stage.echoRequests()).toEqual([0, 0, 0])
    expect(await stage.dnsRequests()).toEqual([list, put(record)])
    expect(run.log).toMatch(/A from dns:router\.example\.com: 203\.0\.113\.10 \(.*cached for up to 90 s/)
  })
})

describe('an interface of the host', () => {
  const address = (text: string) => ({ address: text, internal: false, scopeid: 0 })
  const inputs = { 'address-sources': 'interface:wan0' }

  scenario('gives its address', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const env = withInterfaces({ lo: [{ address: '127.0.0.1', internal: true }], wan0: [address(after)] })
    const run = await stage.run(inputs, { env })
    expect(run.outputs).toMatchObject({ result: 'updated', address: after, requests: '2' })
  })
})
