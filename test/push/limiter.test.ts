import { expect, it, vi } from 'vitest'
import { createLimiter } from '../../push/limiter.ts'
import { createWorker } from '../../push/worker.ts'

/** Counts wrong passwords at a time that the test sets, and returns how long the network must wait. */
function startLimiter() {
  let nowMs = 5_000_000
  const limiter = createLimiter(() => nowMs)
  async function count(address: string | null, times: number): Promise<number> {
    let waitS = 0
    for (let sent = 0; sent < times; sent++) waitS = await limiter(address)
    return waitS
  }
  function pass(ms: number): void {
    nowMs += ms
  }
  return { count, pass }
}

it('a network waits from its 21st wrong password until the minute ends', async () => {
  const { count, pass } = startLimiter()
  expect(await count('9.9.9.9', 20)).toBe(0)
  expect(await count('9.9.9.9', 1)).toBe(60)
  pass(17_500)
  expect(await count('9.9.9.9', 1)).toBe(43)
  expect(await count('9.9.9.8', 1)).toBe(0)
  pass(42_400)
  expect(await count('9.9.9.9', 1)).toBe(1)
  pass(100)
  expect(await count('9.9.9.9', 20)).toBe(0)
})

it('addresses of one /64 count as one network', async () => {
  const { count } = startLimiter()
  expect(await count('2a00:1450:4001:82b::1', 20)).toBe(0)
  expect(await count('2a00:1450:4001:82b:ffff::2', 1)).toBe(60)
  expect(await count('2a00:1450:4001:82c::1', 1)).toBe(0)
})

it('ten thousand networks are all that is remembered', async () => {
  const { count } = startLimiter()
  expect(await count('9.9.9.9', 21)).toBe(60)
  for (let network = 1; network < 10_000; network++) await count(`10.1.${network >> 8}.${network & 255}`, 1)
  expect(await count('9.9.9.9', 1)).toBe(0)
})

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
