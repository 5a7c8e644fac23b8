import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { createWorker } from '../../push/worker.ts'

let log: MockInstance<typeof console.log>
beforeEach(() => {
  log = vi.spyOn(console, 'log').mockReturnValue()
})
afterEach(() => log.mockRestore())

/** Creates a Worker with these bindings. `ask` sends it a wrong password, and returns the answer. */
function start(bindings: object) {
  const worker = createWorker()
  const HOSTS = `home.example.com A sha256:${'a'.repeat(64)}`
  const env = { API_TOKEN: 'x'.repeat(40), ZONE_ID: '0'.repeat(32), HOSTS, ...bindings }
  return async (scheme = 'https') => {
    const headers = {
      authorization: `Basic ${btoa('any:wrong')}`,
      'cf-connecting-ip': '9.9.9.9',
      'x-forwarded-for': '8.8.8.8',
    }
    const request = new Request(`${scheme}://push.example/nic/update?hostname=home.example.com`, { headers })
    return (await worker.fetch(request, env, { waitUntil: () => {} })).text()
  }
}

it.each([
  ['counts, too', { limit: async ({ key }: { key: string }) => ({ success: key !== '9.9.9.9' }) }, '911\n'],
  ['lets one pass', { limit: async () => ({ success: true }) }, 'badauth\n'],
  ['is not asked if it fails', { limit: () => Promise.reject(new Error('away')) }, 'badauth\n'],
  ['is not asked if its binding is something else', { limit: 20 }, 'badauth\n'],
])('the rate limit of the platform %s, on a Worker', async (_, limit, said) => {
  expect(await start({ WRONG_PASSWORDS: limit })()).toBe(said)
})

it('a Worker remembers earlier requests', async () => {
  const ask = start({})
  for (let asked = 0; asked < 20; asked++) expect(await ask()).toBe('badauth\n')
  expect(await ask()).toBe('911\n')
})

it('a Worker refuses what comes by plain http, and says so', async () => {
  expect(await start({})('http')).toBe('badauth\n')
  expect(log.mock.calls.join()).toContain('"plain-http"')
})

it('a Worker uses no proxy, and logs once that it cannot', async () => {
  const ask = start({ HTTPS_PROXY: 'http://127.0.0.1:3128', ZONE_ID: '' })
  for (let asked = 0; asked < 2; asked++) expect(await ask()).toBe('911\n')
  const [zone, proxy, ...others] = log.mock.calls.map(([line]) => JSON.parse(line))
  expect([zone.message, others]).toEqual([expect.stringMatching(/^ZONE_ID is missing\./), []])
  const message = 'A Worker uses no proxy. Remove HTTPS_PROXY.'
  expect(proxy).toEqual({ level: 'error', event: 'settings', message })
})
