import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { stateOf } from '../../sandbox/testing/state.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

/** Returns the status of GET /state with headers that fetch does not allow. */
const statusWith = (headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${sandbox.at.control}/state`, { headers }, response => {
      response.resume()
      resolve(response.statusCode)
    })
    outgoing.once('error', reject)
    outgoing.end()
  })

describe('the control interface', () => {
  it('accepts loopback hosts only, and no requests from other origins', async () => {
    const { port } = new URL(sandbox.at.control)
    expect(await statusWith({ host: `localhost:${port}` })).toBe(200)
    expect(await statusWith({ host: `rebound.example:${port}` })).toBe(403)
    expect(await statusWith({ origin: 'https://example.com' })).toBe(403)
    expect(await statusWith({ origin: 'null' })).toBe(403)
    expect(await statusWith({ origin: `http://127.0.0.1:${port}` })).toBe(200)
  })

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
