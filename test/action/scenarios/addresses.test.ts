import { expect } from 'vitest'
import { withResolvers } from '../../support/host.ts'
import { startRelay } from '../../support/relay.ts'
import { after, before, list, put, scenario } from '../../support/stage.ts'
import { runRoundOn } from './round.ts'

const before6 = '2001:db8:1::10'
const after6 = '2001:db8:2::10'

scenario(
  'the address of another hostname is used on a GitHub-hosted runner too, from two resolvers',
  async ({ stage }) => {
    const [record] = stage.setRecords(
      { content: before },
      { name: 'router.example.com', content: after, ttl: 90 },
    )
    const run = await stage.run(
      { 'address-sources': 'dns:router.example.com' },
      { env: { RUNNER_ENVIRONMENT: 'github-hosted', ...withResolvers(stage.description) } },
    )
    expect(run.outputs).toMatchObject({ result: 'updated', address: after, requests: '4' })
    const asked = stage.journal().flatMap(({ service, instance }) => (service === 'doh' ? [instance] : []))
    expect(asked.toSorted()).toEqual([0, 1])
    expect(stage.echoRequests()).toEqual([0, 0, 0])
    expect(stage.dnsRequests()).toEqual([list, put(record)])
    expect(run.log).toMatch(/A from dns:router\.example\.com: 203\.0\.113\.10 \(.*cached for up to 90 s/)
  },
)

scenario('A and AAAA of one hostname are both updated in one run, with one list', async ({ stage }) => {
  const [v4, v6] = stage.setRecords({ content: before }, { type: 'AAAA', content: before6 })
  stage.setEchoes(after6, after, after)
  const [first = '', ...over4] = stage.description.echo
  const over6 = await startRelay(first, { host: '::1' })
  const run = await runRoundOn(stage, {
    'record-type': 'AAAA, a',
    'address-sources': [...over4, over6.baseUrl].join('\n'),
    'expected-cidr': '203.0.113.0/24\n2001:db8::/32',
  })
  await over6.close()
  expect(run).toMatchObject({
    result: 'updated',
    changed: true,
    address: `${after}\n${after6}`,
    records: [
      { type: 'A', result: 'updated', address: after, 'previous-address': before, 'record-id': v4?.id },
      { type: 'AAAA', result: 'updated', address: after6, 'previous-address': before6, 'record-id': v6?.id },
    ],
    warnings: [],
  })
  expect(stage.dnsRequests()).toEqual([list, put(v4), put(v6)])
})

scenario(
  'an AAAA record beside a managed A record is reported when that changes, and kept',
  async ({ stage }) => {
    const [, v6] = stage.setRecords({ content: before }, { type: 'AAAA', content: before6 })
    const warning = expect.stringMatching(/AAAA record \(2001:db8:1::10\).*A,AAAA/)
    expect(await runRoundOn(stage)).toMatchObject({ result: 'updated', warnings: [warning] })
    expect(stage.records()).toMatchObject([{ content: after }, { id: v6?.id, content: before6 }])
    expect(await runRoundOn(stage)).toMatchObject({ result: 'unchanged', warnings: [] })
  },
)
