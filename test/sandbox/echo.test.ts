import { describe, expect, test } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

const get = (at: number) => fetch(sandbox.at.echo[at] ?? '')
const texts = () => Promise.all(sandbox.at.echo.map(async url => (await fetch(url)).text()))

describe('the address echoes', () => {
  test('return the address as one line of text', async () => {
    expect(await texts()).toEqual(Array(3).fill('203.0.113.10\n'))
    expect((await get(0)).headers.get('content-type')).toBe('text/plain')
  })

  test('return another address after PUT /echo', async () => {
    await sandbox.control('PUT', '/echo', { address: '203.0.113.7' })
    expect(await texts()).toEqual(Array(3).fill('203.0.113.7\n'))
  })

  test('can return different answers; null leaves one unchanged', async () => {
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
  })

  test('refuse other paths and methods', async () => {
    const [url = ''] = sandbox.at.echo
    expect((await fetch(`${url}/other`)).status).toBe(404)
    expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(405)
  })
})
