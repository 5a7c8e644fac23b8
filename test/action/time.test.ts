import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../action/deadline.ts'
import type { HttpFailure, HttpOutcome, HttpRequest } from '../../action/exchange.ts'
import { reconcile } from '../../action/reconcile.ts'
import { openDnsApi } from '../../action/records/dns-api.ts'
import { listRecords } from '../../action/records/list.ts'
import { write } from '../../action/write.ts'
import { response } from '../support/response.ts'
import { virtualClock } from '../support/virtual-clock.ts'

const target = { hostname: 'home.example.com', zoneId: '023e105f4ecef8ad9ca31a8372d0c353' }
const busy = response('', { status: 500 })
const silent: HttpFailure = { kind: 'failure', cause: 'timeout', detail: 'no complete response' }

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

const plan = reconcile([], {
  hostname: 'home.example.com',
  type: 'A',
  address: '203.0.113.7',
  ttl: 120,
  proxied: false,
  onDrift: 'warn',
  create: true,
})

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

  it('ends the reads at once if Retry-After is later', async () => {
    const limited = { ...busy, status: 429, retryAfterMs: 300_000 }
    const { dns, slept } = service(60_000, 0.5, 10, limited)
    expect(await listRecords(dns, target)).toMatchObject({ problem: { reason: 'rate-limited' } })
    expect(slept).toEqual([])
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

  it('fails with deadline, not record-missing, when reads use it up', async () => {
    const { dns } = service(1000, 0.5, 1000, silent)
    const listing = await listRecords(dns, target)
    expect(listing).toMatchObject({ kind: 'failed', problem: { reason: 'deadline' } })
  })

  it('sends nothing once it has passed', async () => {
    const { dns, timeouts } = service(1000, 0.5, 10, busy)
    await dns.clock.sleep(1000)
    expect(await listRecords(dns, target)).toMatchObject({
      kind: 'failed',
      problem: { reason: 'deadline', message: expect.stringMatching(/^No time was left to list/) },
    })
    expect(timeouts).toEqual([])
  })

  it('always reserves one request to read a write back', async () => {
    const { dns, timeouts } = service(5000, 0, 10, busy)
    await dns.clock.sleep(3600)
    if (plan.kind !== 'create') throw new Error('nothing to write')
    await write(dns, target, plan)
    expect(timeouts[0]).toBe(400)
    expect(timeouts[1]).toBeGreaterThanOrEqual(1000)
  })
})
