import { expect, it, vi } from 'vitest'
import { createWorker } from '../../push/worker.ts'

it.each([
  ['counts, too', { limit: async ({ key }: { key: string }) => ({ success: key !== '9.9.9.9' }) }, '911\n'],
  ['lets one pass', { limit: async () => ({ success: true }) }, 'badauth\n'],
  ['is not asked if it fails', { limit: () => Promise.reject(new Error('away')) }, 'badauth\n'],
  ['is not asked if its binding is something else', { limit: 20 }, 'badauth\n'],
])('the rate limit of the platform %s, on a Worker', async (_, limit, said) => {
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const HOSTS = `home.example.com A sha256:${'a'.repeat(64)}`
  const env = { API_TOKEN: 'x'.repeat(40), ZONE_ID: '0'.repeat(32), HOSTS, WRONG_PASSWORDS: limit }
  const headers = { authorization: `Basic ${btoa('any:wrong')}`, 'cf-connecting-ip': '9.9.9.9' }
  const request = new Request('https://push.example/nic/update?hostname=home.example.com', { headers })
  const answer = await createWorker().fetch(request, env, { waitUntil: () => {} })
  expect(await answer.text()).toBe(said)
  log.mockRestore()
})
