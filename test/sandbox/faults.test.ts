import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Fault, FaultAnswer } from '../../sandbox/http/faults.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const home = 'home.example.com'

const onList = (answer: FaultAnswer): Fault => ({ match: { method: 'GET', path: 'dns_records$' }, answer })

const list = (signal?: AbortSignal) =>
  fetch(`${sandbox.at.cloudflare.apiUrl}${sandbox.records}?name=${home}`, {
    headers: { authorization: `Bearer ${sandbox.at.cloudflare.dnsToken}` },
    ...(signal && { signal }),
  })

/** Lists records and returns what arrived until the response ended, failed or timed out. */
async function receive(limitMs = 2000) {
  let status: number | null = null
  let bytes = 0
  const startedAt = performance.now()
  try {
    const response = await list(AbortSignal.timeout(limitMs))
    status = response.status
    for await (const chunk of response.body ?? []) bytes += chunk.length
    return { status, bytes, ended: 'complete', ms: performance.now() - startedAt }
  } catch (error) {
    const ended = (error as Error).name === 'TimeoutError' ? 'timeout' : 'failure'
    return { status, bytes, ended, ms: performance.now() - startedAt }
  }
}

beforeEach(() => sandbox.control('DELETE', '/journal'))
afterEach(() => sandbox.setFaults())

describe('a fault', () => {
  it('can return any response', async () => {
    const body = '<html>cloudflare-lb</html>'
    await sandbox.setFaults(
      onList({ kind: 'respond', status: 502, headers: { 'content-type': 'text/html' }, body }),
    )
    const response = await list()
    expect(response.status).toBe(502)
    expect(response.headers.get('content-type')).toBe('text/html')
    expect(await response.text()).toBe(body)
  })

  it('can return 204, which has no Content-Length', async () => {
    await sandbox.setFaults(onList({ kind: 'respond', status: 204, body: 'ignored' }))
    const response = await list()
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      204,
      null,
      '',
    ])
  })

  it('can return errors of the service, in the current form', async () => {
    const errors = [{ code: 81044, message: 'Record does not exist.' }]
    const headers = { 'retry-after': '3' }
    await sandbox.setFaults(onList({ kind: 'errors', status: 429, errors, headers }))
    const response = await list()
    expect(response.headers.get('retry-after')).toBe('3')
    expect(await response.json()).toEqual({ success: false, errors, messages: [], result: null })
    await sandbox.control('PUT', '/state', { errorForm: 'chained' })
    await sandbox.setFaults(onList({ kind: 'errors', status: 400, errors }))
    expect(await (await list()).json()).toMatchObject({ errors: [{ code: 1004, error_chain: errors }] })
    await sandbox.control('PUT', '/state', { errorForm: 'flat' })
  })

  it('can close the connection after a number of bytes', async () => {
    await sandbox.setFaults(onList({ kind: 'cut', after: 20 }))
    expect(await receive()).toMatchObject({ status: 200, bytes: 20, ended: 'failure' })
  })

  it('can stall before or after the headers', async () => {
    await sandbox.setFaults(onList({ kind: 'stall', at: 'before-headers' }))
    expect(await receive(150)).toMatchObject({ status: null, ended: 'timeout' })
    await sandbox.setFaults(onList({ kind: 'stall', at: 'after-headers', after: 5 }))
    expect(await receive(150)).toMatchObject({ status: 200, bytes: 5, ended: 'timeout' })
    expect((await sandbox.journal()).map(({ status, fault }) => [status, fault])).toEqual([
      [null, 'stall'],
      [200, 'stall'],
    ])
  })

  it('can send the body byte by byte', async () => {
    await sandbox.setFaults(onList({ kind: 'drip', everyMs: 1 }))
    const { status, bytes, ended, ms } = await receive()
    expect({ status, ended }).toEqual({ status: 200, ended: 'complete' })
    expect(ms).toBeGreaterThanOrEqual(bytes)
  })

  it('can reset the connection', async () => {
    await sandbox.setFaults(onList({ kind: 'reset' }))
    const failure = await list().catch((error: unknown) => error)
    expect((failure as Error).cause).toMatchObject({ code: 'ECONNRESET' })
  })

  it('can return an oversized response that is still valid', async () => {
    await sandbox.setFaults(onList({ kind: 'oversize', bytes: 3_000_000 }))
    const text = await (await list()).text()
    expect(text).toHaveLength(3_000_000)
    expect(JSON.parse(text).result).toMatchObject([{ name: home }])
  })

  it('can oversize the answer of an echo', async () => {
    await sandbox.setFaults({ match: { service: 'echo' }, answer: { kind: 'oversize', bytes: 100_000 } })
    const [url] = sandbox.at.echo
    expect(await (await fetch(url ?? '')).text()).toHaveLength(100_000)
  })

  it('can alter the result of a list or of one record', async () => {
    const alter: FaultAnswer = { kind: 'alter', result: { content: '198.51.100.9' } }
    await sandbox.setFaults(onList(alter), { match: { path: 'dns_records/' }, answer: alter })
    expect(await (await list()).json()).toMatchObject({ result: [{ name: home, content: '198.51.100.9' }] })
    const record = await sandbox.home()
    const answer = await sandbox.api('GET', `${sandbox.records}/${record.id}`)
    expect(answer.body.result).toEqual({ ...record, content: '198.51.100.9' })
  })

  it.each([true, false])('can lose the response of a write, with commit %s', async commit => {
    const { id, ...fields } = await sandbox.home()
    const content = commit ? '192.0.2.71' : '192.0.2.72'
    await sandbox.setFaults({ match: { method: 'PUT' }, commit, answer: { kind: 'cut', after: 0 } })
    await expect(
      sandbox.api('PUT', `${sandbox.records}/${id}`, { body: { ...fields, content } }),
    ).rejects.toThrow()
    expect((await sandbox.home()).content).toBe(commit ? content : fields.content)
  })

  it('applies to matching requests only, after skip, for the given times', async () => {
    const answer: FaultAnswer = { kind: 'respond', status: 500 }
    await sandbox.setFaults(
      { match: { method: 'put' }, times: null, answer },
      { ...onList(answer), skip: 1, times: 2 },
      { match: { service: 'echo', instance: 1 }, answer: { kind: 'respond', status: 503 } },
    )
    const statuses = []
    for (const _ of Array(5)) statuses.push((await list()).status)
    expect(statuses).toEqual([200, 500, 500, 200, 200])
    const echoes = await Promise.all(sandbox.at.echo.map(url => fetch(url)))
    expect(echoes.map(({ status }) => status)).toEqual([200, 503, 200])
    const { body } = await sandbox.control('GET', '/state')
    expect(body['faults']).toMatchObject([{ match: { method: 'PUT' }, times: null }])
  })

  it('is followed by the next one when it is used up', async () => {
    await sandbox.setFaults(
      onList({ kind: 'respond', status: 500 }),
      onList({ kind: 'respond', status: 502 }),
    )
    expect([(await list()).status, (await list()).status, (await list()).status]).toEqual([500, 502, 200])
  })
})
