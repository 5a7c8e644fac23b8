import { createServer } from 'node:http'
import { describe, expect } from 'vitest'
import { listen } from '../../support/listen.ts'
import { after, before, list, onList, put, scenario } from '../../support/stage.ts'
import { limited, listBody } from './fault-answers.ts'

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

  scenario('waits for a Retry-After within the deadline', async ({ stage }) => {
    await stage.setRecords({ content: after })
    await stage.setFaults({ match: onList, answer: limited({ 'retry-after': '2' }) })
    expect((await stage.run({ timeout: '20s' })).outputs['result']).toBe('unchanged')
    const [first = 0, second = 0] = (await stage.journal())
      .filter(({ service }) => service === 'cloudflare')
      .map(({ at }) => Date.parse(at))
    expect(second - first).toBeGreaterThanOrEqual(1990)
  })

  scenario('fails at once if Retry-After is later than the deadline', async ({ stage }) => {
    await stage.setFaults({ match: onList, times: null, answer: limited({ 'retry-after': '300' }) })
    const started = performance.now()
    const run = await stage.run({ timeout: '10s' })
    expect(run.outputs['reason']).toBe('rate-limited')
    expect(await stage.dnsRequests()).toEqual([list])
    expect(performance.now() - started).toBeLessThan(8000)
  })

  scenario('fails in time if every response stalls', async ({ stage }) => {
    await stage.setFaults({ match: onList, times: null, answer: { kind: 'stall', at: 'before-headers' } })
    const run = await stage.run({ timeout: '3s' })
    expect(run.outputs['reason']).toMatch(/^(deadline|service-unavailable)$/)
    expect((await stage.dnsRequests()).length).toBeLessThanOrEqual(3)
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

  scenario('is refused if total_count shows that it is incomplete', async ({ stage }) => {
    const records = await stage.setRecords({ content: before })
    const body = await listBody(stage)
    const first = { ...body, result_info: { ...body.result_info, total_count: 101 } }
    await stage.setFaults({
      match: onList,
      answer: { kind: 'respond', status: 200, body: JSON.stringify(first) },
    })
    const run = await stage.run()
    expect(run.outputs).toMatchObject({ result: 'failed', reason: 'unexpected' })
    expect(run.annotations[0]?.message).toContain('shows 1 of 101 entries')
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
