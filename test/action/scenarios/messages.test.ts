import { createServer, type ServerResponse } from 'node:http'
import { describe, expect } from 'vitest'
import { listen } from '../../support/listen.ts'
import { after, before, scenario } from '../../support/stage.ts'

const secret = '/6f1d2c9a-0b7e-4a53-8c1f-2f90d1b7e3aa'

/** Starts a monitor or messaging service on loopback. Its URL contains a secret. */
async function startService(answer: (response: ServerResponse) => void = response => response.end('ok')) {
  const heard: { line: string; type: string | undefined; token: string | undefined; body: string }[] = []
  const arrived = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { 'content-type': type, authorization: token } = request.headers
    heard.push({ line: `${request.method} ${request.url}`, type, token, body })
    arrived.resolve()
    answer(response)
  })
  const url = await listen(server)
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { heard, arrived: arrived.promise, url, close }
}

describe('a message', () => {
  scenario('has every change as text, beside the second heartbeat, without the token', async ({ stage }) => {
    const service = await startService()
    stage.setRecords({ content: before }, { name: 'same.example.com', content: after })
    const url = service.url + secret
    const hostname = 'home.example.com\nsame.example.com\nnew.example.com'
    const run = await stage.run(
      { 'notify-url': url, 'heartbeat-url': url, hostname, create: 'true' },
      { unseenRequests: 2 },
    )
    expect(run).toMatchObject({ status: 0, annotations: [] })
    const created = stage.records().find(({ name }) => name === 'new.example.com')
    expect(created).toMatchObject({ type: 'A', content: after, ttl: 120, proxied: false })
    expect(JSON.parse(run.outputs['records'] ?? '')).toMatchObject([
      { result: 'updated' },
      { result: 'unchanged' },
      { result: 'created', 'previous-address': null, 'record-id': created?.id },
    ])
    const changed = `home.example.com (A): changed from ${before} to ${after}`
    const body = `${changed}\nnew.example.com (A): created with ${after}`
    expect(service.heard.toSorted((one, other) => one.body.length - other.body.length)).toMatchObject([
      { line: `GET ${secret}/start`, token: undefined },
      { line: `GET ${secret}`, token: undefined },
      { line: `POST ${secret}`, type: 'text/plain', token: undefined, body },
    ])
    expect(run.raw).toContain(`::add-mask::${secret}\n`)
    expect(`${run.rawWithoutMasks}${run.files}`).not.toContain('6f1d2c9a')
    service.close()
  })

  scenario('and heartbeats that nobody answers take no longer than the timeout', async ({ stage }) => {
    const service = await startService(() => undefined)
    stage.setRecords({ content: before })
    const url = service.url + secret
    const startMs = performance.now()
    const told = { 'notify-url': url, 'heartbeat-url': url, timeout: '30s' }
    const run = await stage.run(told, { unseenRequests: 2 })
    // Each had ten seconds once, one after the other.
    expect(performance.now() - startMs).toBeLessThan(18_000)
    service.close()
    expect(run.outputs).toMatchObject({ result: 'updated' })
    expect(run.annotations.map(({ message }) => message)).toEqual(
      Array(2).fill(expect.stringContaining('no complete response within 5.0 s')),
    )
  })

  scenario('follows the outputs: who cancels the job meanwhile loses neither', async ({ stage }) => {
    const service = await startService(() => {})
    stage.setRecords({ content: before })
    const run = await stage.run(
      { 'notify-url': service.url + secret },
      { cancelWhen: { signal: 'SIGTERM', condition: service.arrived } },
    )
    expect(run).toMatchObject({ status: 0, annotations: [], outputs: { result: 'updated', changed: 'true' } })
    expect(run.summary).toContain('updated')
    expect(service.heard).toHaveLength(1)
    service.close()
  })
})
