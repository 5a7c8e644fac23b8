import { describe, expect, it } from 'vitest'
import { request } from './request.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

const get = (at: number) => fetch(sandbox.at.echo[at] ?? '')
const texts = () => Promise.all(sandbox.at.echo.map(async url => (await fetch(url)).text()))

describe('the address echoes', () => {
  it('return the address as one line of text', async () => {
    expect(await texts()).toEqual(Array(3).fill('203.0.113.10\n'))
    expect((await get(0)).headers.get('content-type')).toBe('text/plain')
  })

  it('return the address as a line of a trace, on their own ports and for the hosts of the service', async () => {
    const { baseUrl } = sandbox.at.cloudflare
    const [url = ''] = sandbox.at.echo
    expect(await (await fetch(`${url}/cdn-cgi/trace`)).text()).toMatch(
      /^fl=.*\nh=127.0.0.1\nip=203.0.113.10\nts=\d/,
    )
    for (const host of ['api.cloudflare.com', 'one.one.one.one', '1.1.1.1']) {
      const { text } = await request(`http://${host}/cdn-cgi/trace`, { port: Number(new URL(baseUrl).port) })
      expect(text).toContain(`h=${host}\nip=203.0.113.10\n`)
    }
    const other = await fetch(`${baseUrl}/cdn-cgi/trace`)
    expect([other.status, await other.json()]).toMatchObject([
      404,
      { errors: [{ code: 7003 }, { code: 7000 }] },
    ])
  })

  it('return the time of the sandbox and the scheme of the request in a trace', async () => {
    await sandbox.control('PUT', '/clock', { now: '2030-01-31T12:00:00Z' })
    const trace = await (await fetch(`${sandbox.at.echo[0]}/cdn-cgi/trace`)).text()
    expect(trace).toMatch(/\nts=18960912\d\d\.\d{3}\nvisit_scheme=http\n/)
  })

  it('return another address after PUT /echo', async () => {
    await sandbox.control('PUT', '/echo', { address: '203.0.113.7' })
    expect(await texts()).toEqual(Array(3).fill('203.0.113.7\n'))
  })

  it('can return different answers; null leaves one unchanged', async () => {
    const odd = {
      body: '<html>',
      status: 403,
      contentType: 'text/html',
      headers: { 'set-cookie': '1.0.1.1' },
      delayMs: 50,
    }
    await sandbox.control('PUT', '/echo', { answers: [{ body: '192.0.2.1' }, null, odd] })
    const startedAt = performance.now()
    const third = await get(2)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(45)
    expect([third.status, third.headers.get('content-type'), third.headers.get('set-cookie')]).toEqual([
      403,
      'text/html',
      '1.0.1.1',
    ])
    expect(await texts()).toEqual(['192.0.2.1', '203.0.113.7\n', '<html>'])
    const trace = await fetch(`${sandbox.at.echo[2]}/cdn-cgi/trace`)
    expect([trace.status, await trace.text()]).toEqual([403, '<html>'])
  })

  it('refuse other paths and methods', async () => {
    const [url = ''] = sandbox.at.echo
    expect((await fetch(`${url}/other`)).status).toBe(404)
    expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(405)
  })
})
