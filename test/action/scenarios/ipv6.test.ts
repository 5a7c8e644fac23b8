import { describe, expect } from 'vitest'
import { startRelay } from '../../support/relay.ts'
import { after, before, list, put, scenario } from '../../support/stage.ts'

const before6 = '2001:db8:1::10'
const after6 = '2001:db8:2::10'

describe('A and AAAA of one hostname in one run', () => {
  scenario('are both updated, with one list', async ({ stage }) => {
    const [v4, v6] = await stage.setRecords({ content: before }, { type: 'AAAA', content: before6 })
    await stage.setEchoes(after6, after, after)
    const [first = '', ...over4] = stage.description.echo
    const over6 = await startRelay(first, { host: '::1' })
    const run = await stage.run({
      'record-type': 'AAAA, a',
      'address-sources': [...over4, over6.baseUrl].join('\n'),
      'expected-cidr': '203.0.113.0/24\n2001:db8::/32',
    })
    await over6.close()
    expect(run.outputs).toMatchObject({ result: 'updated', changed: 'true', address: `${after}\n${after6}` })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { type: 'A', result: 'updated', address: after, 'previous-address': before, 'record-id': v4?.id },
      { type: 'AAAA', result: 'updated', address: after6, 'previous-address': before6, 'record-id': v6?.id },
    ])
    expect(await stage.dnsRequests()).toEqual([list, put(v4), put(v6)])
    expect(run.annotations).toEqual([])
  })
})

describe('an AAAA record beside a managed A record', () => {
  scenario('is reported when the A record changes, and kept', async ({ stage }) => {
    const [, v6] = await stage.setRecords({ content: before }, { type: 'AAAA', content: before6 })
    const run = await stage.run()
    expect(run.outputs['result']).toBe('updated')
    expect(run.annotations).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/AAAA record \(2001:db8:1::10\).*A,AAAA/) },
    ])
    expect(await stage.records()).toMatchObject([{ content: after }, { id: v6?.id, content: before6 }])
    const calm = await stage.run()
    expect(calm.outputs['result']).toBe('unchanged')
    expect(calm.annotations).toEqual([])
  })
})
