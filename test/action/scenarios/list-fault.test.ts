import { createServer } from 'node:http'
import { describe, expect } from 'vitest'
import { listen } from '../../support/listen.ts'
import { before, list, onList, put, scenario } from '../../support/stage.ts'

describe('a list', () => {
  scenario('is repeated after a response that stalls, then a connection that is reset', async ({ stage }) => {
    const [record] = await stage.setRecords({ content: before })
    await stage.setFaults(
      { match: onList, answer: { kind: 'stall', at: 'after-headers', after: 20 } },
      { match: onList, answer: { kind: 'reset' } },
    )
    const run = await stage.run({ timeout: '12s' })
    expect(run.outputs).toMatchObject({ result: 'updated', requests: '7' })
    expect(await stage.dnsRequests()).toEqual([list, list, list, put(record)])
  })

  scenario('refuses an oversized response', async ({ stage }) => {
    const records = await stage.setRecords({ content: before })
    await stage.setFaults({
      match: onList,
      times: null,
      answer: { kind: 'oversize', bytes: 3 * 1024 * 1024 },
    })
    const run = await stage.run()
    expect(run.outputs['reason']).toBe('service-unavailable')
    expect(run.annotations[0]?.message).toContain('longer than 1048576 bytes')
    expect(await stage.dnsRequests()).toEqual([list])
    expect(await stage.records()).toEqual(records)
  })

  scenario('is refused if it redirects, and the token goes nowhere else', async ({ stage }) => {
    const seen: string[] = []
    const stranger = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.end('{}')
    })
    const location = await listen(stranger)
    for (const status of [301, 308]) {
      await stage.setFaults({ match: onList, answer: { kind: 'respond', status, headers: { location } } })
      const run = await stage.run()
      expect(run.outputs['reason']).toBe('unexpected')
      expect(await stage.dnsRequests()).toEqual([list])
    }
    expect(seen).toEqual([])
    stranger.close()
  })

  scenario('quotes workflow commands instead of executing them', async ({ stage }) => {
    const hostile =
      'x\n::add-mask::failed\n::stop-commands::t\n::set-output name=result::unchanged\n##[error]y\u202e'
    await stage.setFaults({
      match: onList,
      answer: { kind: 'errors', status: 400, errors: [{ code: 1, message: hostile }] },
    })
    const run = await stage.run()
    expect(run.outputs['result']).toBe('failed')
    expect(run.raw).not.toMatch(/^::(add-mask::failed|stop-commands|set-output)/m)
    expect(run.raw).not.toContain('##[')
    expect(run.raw).not.toContain('\u202e')
    expect(run.summary).not.toContain('\u202e')
  })
})
