import { describe, expect, it } from 'vitest'
import { stateOf } from '../../sandbox/testing/state.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

describe('the control', () => {
  it('accepts records that the API would refuse, and fills in defaults', async () => {
    const { zoneId } = sandbox.at.cloudflare
    const sketch = { type: 'MX', name: 'example.com', content: 'mail.example.com', priority: 10 }
    sandbox.control.setState({ records: { [zoneId]: [sketch, sketch] } })
    const records = await sandbox.named('example.com')
    expect(records).toMatchObject([sketch, sketch])
    expect(Object.keys(records[0] ?? {})[0]).toBe('id')
    expect(records[0]).toMatchObject({ ttl: 1, proxied: false, comment: null, tags: [], meta: {} })
    expect(Object.keys(stateOf(sandbox.control).records)).toHaveLength(2)
  })

  it('sets the clock for record timestamps', async () => {
    sandbox.control.setClock({ now: '2030-01-31T12:00:00Z' })
    const { created_on } = await sandbox.create({ type: 'A', name: 'later', content: '192.0.2.1' })
    expect(created_on).toMatch(/^2030-01-31T12:00:0/)
    sandbox.control.setClock({ advanceMs: 86_400_000 })
    const next = await sandbox.create({ type: 'A', name: 'later-still', content: '192.0.2.1' })
    expect(next.created_on).toMatch(/^2030-02-01T12:00:/)
  })
})
