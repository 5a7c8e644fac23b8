import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../action/deadline.ts'
import type { HttpOutcome, HttpRequest } from '../../action/exchange.ts'
import { type KeptName, keepRecords } from '../../action/keep.ts'
import { openDnsApi } from '../../action/records/dns-api.ts'
import { failure, response } from '../simulation/faults.ts'
import { Zone } from '../simulation/zone.ts'

const zoneId = '0'.repeat(32)
const home = 'home.example.com'
const first = '8.8.4.4'
const second = '9.9.9.9'
const name: KeptName = {
  target: { hostname: home, zoneId },
  addressRules: { expectedCidrs: [], allowReserved: false },
  record: { ttl: 120, proxied: false, create: true, onDrift: 'warn' },
  addresses: [{ type: 'A' }],
}

/** A caller that keeps the record: its next step, and what it found once there is none. */
class Caller {
  next: (() => void) | null = null
  /** Whether the next step is the end of a wait, which takes longer than any request. */
  isWaiting = false
  found = ''
  /** The method of the last request that took effect. */
  sent = ''

  /** @param losesAnswer whether its first POST takes effect, but its answer is lost */
  constructor(zone: Zone, address: string, losesAnswer = false) {
    let isLost = losesAnswer
    const exchange = (request: HttpRequest) =>
      new Promise<HttpOutcome>(resolve => {
        this.next = () => {
          this.next = null
          this.sent = request.method
          const reply = zone.handle(request, () => {})
          if (!isLost || request.method !== 'POST') return resolve(response(reply.status, reply.body))
          isLost = false
          resolve(failure('cut'))
        }
      })
    const sleep = (ms: number) =>
      new Promise<void>(resolve => {
        if (ms === 0) return resolve()
        this.isWaiting = true
        this.next = () => {
          this.next = null
          this.isWaiting = false
          resolve()
        }
      })
    const clock = { now: () => 0, sleep, random: () => 0 }
    const api = openDnsApi(
      { baseUrl: 'https://api.example', token: 'token' },
      exchange,
      startDeadline(7500, clock),
      clock,
    )
    void keepRecords(name, [['A', address]], api).then(([kept]) => {
      this.found = kept?.unsettled ? 'unsettled' : (kept?.result.problem?.reason ?? kept?.result.result ?? '')
    })
  }
}

function startZone(): Zone {
  const zone = new Zone(zoneId, 'example.com')
  zone.add({ type: 'A', name: 'www.example.com', content: first })
  return zone
}

/** Lets the requests of a caller take effect until one with a method has, or until it has ended. */
async function proceed(caller: Caller, until?: string): Promise<void> {
  for (await settled(); caller.next !== null && caller.sent !== until; await settled()) caller.next()
}

const settled = () => new Promise(resolve => setImmediate(resolve))

/** Lets the requests of two callers take effect in an order: bit N says which comes Nth, as long as both have a request. */
async function run(order: number, addresses: readonly [string, string], lost: readonly boolean[]) {
  const zone = startZone()
  const callers = addresses.map((address, place) => new Caller(zone, address, lost[place]))
  let choices = 0
  for (;;) {
    await settled()
    const open = callers.filter(({ next }) => next !== null)
    const busy = open.filter(({ isWaiting }) => !isWaiting)
    const ready = busy.length > 0 ? busy : open
    if (ready.length === 0) break
    ready[ready.length > 1 ? (order >> choices++) & 1 : 0]?.next?.()
  }
  const held = () => zone.records.filter(({ name }) => name === home).map(({ content }) => content)
  const [found, left] = [callers.map(({ found }) => found), held()]
  const again = new Caller(zone, second)
  await proceed(again)
  return { choices, found, left, later: again.found, held: held() }
}

const isRight = /^(created|updated|unchanged)$/

it.each([
  ['the same address', second, [], 1],
  ['different addresses', first, [], 1],
  // With the other orders, these would take a minute.
  ['the same address, and an answer that is lost', second, [true], 11],
  ['different addresses, and an answer that is lost', first, [true], 11],
  ['different addresses, and two answers that are lost', first, [true, true], 11],
] as const)(
  'two callers that create at once leave one record, in any order: %s',
  { timeout: 60_000 },
  async (_, other, lost, stride) => {
    const seen = new Map<string, number>()
    for (let order = 0, most = 1; order < 2 ** most; order += stride) {
      const { choices, found, left, later, held } = await run(order, [second, other], lost)
      most = Math.max(most, choices)
      const good = [second, other].filter((_, place) => isRight.test(found[place] ?? ''))
      expect(left.length, `order ${order}: ${found} and ${left}`).toBe(1)
      // The last success holds: an earlier one may have been overwritten since.
      expect(good, `order ${order}`).toContain(left[0])
      expect({ later, held }).toEqual({ later: expect.stringMatching(isRight), held: [second] })
      seen.set(found.join(), (seen.get(found.join()) ?? 0) + 1)
    }
    process.stdout.write(`${_}: ${[...seen].map(([found, times]) => `${found} ${times}`).join('; ')}\n`)
    expect(seen.size).toBeGreaterThan(1)
  },
)

describe('a caller that has created a record, and sees another', () => {
  const add = (zone: Zone, content: string) => zone.add({ type: 'A', name: home, content }).id
  const held = (zone: Zone) => zone.records.filter(({ name }) => name === home).map(({ content }) => content)

  it('deletes its own', async () => {
    const zone = startZone()
    const caller = new Caller(zone, second)
    await proceed(caller, 'POST')
    add(zone, first)
    await proceed(caller)
    expect([caller.found, held(zone)]).toEqual(['unsettled', [first]])
  })

  it('keeps its own if something has changed it since', async () => {
    const zone = startZone()
    const caller = new Caller(zone, second)
    await proceed(caller, 'POST')
    const own = zone.records.find(({ name }) => name === home)?.id ?? ''
    add(zone, first)
    zone.edit(own, { content: '1.0.0.1' })
    await proceed(caller)
    expect([caller.found, held(zone)]).toEqual(['unsettled', ['1.0.0.1', first]])
  })

  it('succeeds if the other goes', async () => {
    const zone = startZone()
    const caller = new Caller(zone, second)
    await proceed(caller, 'POST')
    const other = add(zone, first)
    for (await settled(); !caller.isWaiting; await settled()) caller.next?.()
    zone.remove(other)
    await proceed(caller)
    expect([caller.found, held(zone)]).toEqual(['created', [second]])
  })

  it('does not make a third find several', async () => {
    const zone = startZone()
    const other = add(zone, first)
    add(zone, second)
    const third = new Caller(zone, second)
    for (await settled(); !third.isWaiting; await settled()) third.next?.()
    zone.remove(other)
    await proceed(third)
    expect([third.found, held(zone)]).toEqual(['unchanged', [second]])
  })
})
