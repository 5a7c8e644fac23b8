import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../action/deadline.ts'
import type { HttpOutcome, HttpRequest } from '../../action/exchange.ts'
import { openDnsApi } from '../../action/records/dns-api.ts'
import { listRecords } from '../../action/records/list.ts'
import { response } from '../support/response.ts'
import { virtualClock } from '../support/virtual-clock.ts'

const target = { hostname: 'home.example.com', zoneId: '023e105f4ecef8ad9ca31a8372d0c353' }
const busy = response('', { status: 500 })

/** Creates a service in virtual time: only exchanges and sleeps advance the clock. */
function service(totalMs: number, random: number, exchangeMs: number, outcome: HttpOutcome) {
  const timeouts: number[] = []
  const { clock, pass, sleptMs: slept } = virtualClock(random)
  async function exchange(request: HttpRequest): Promise<HttpOutcome> {
    timeouts.push(request.timeoutMs)
    pass(exchangeMs)
    return outcome
  }
  const root = { baseUrl: 'https://dns.example', token: 'token' }
  const dns = openDnsApi(root, exchange, startDeadline(totalMs, clock), clock)
  return { dns, slept, timeouts }
}

describe('the deadline', () => {
  it.each([0, 0.5, 0.999])(
    'leaves jittered waits of under a second between reads (random %d)',
    async random => {
      const { dns, slept } = service(60_000, random, 10, busy)
      const listing = await listRecords(dns, target)
      expect(listing).toMatchObject({ kind: 'failed', problem: { reason: 'service-unavailable' } })
      expect(slept).toHaveLength(2)
      for (const waitMs of slept) expect(waitMs).toBeLessThan(1000)
      expect(new Set(slept).size).toBe(random === 0 ? 1 : 2)
    },
  )

  it('waits for the Retry-After of a 503 between reads', async () => {
    const { dns, slept } = service(60_000, 0.5, 10, { ...busy, status: 503, retryAfterMs: 7000 })
    await listRecords(dns, target)
    expect(slept).toEqual([7000, 7000])
  })

  it('gives one request a fifth of the time, and at most ten seconds', async () => {
    for (const [totalMs, timeoutMs] of [
      [5000, 1000],
      [600_000, 10_000],
    ] as const) {
      const { dns, timeouts } = service(totalMs, 0, 1, busy)
      await listRecords(dns, target)
      expect(timeouts[0]).toBe(timeoutMs)
    }
  })
})
