import { expect, it } from 'vitest'
import { startDeadline } from '../../action/deadline.ts'
import type { HttpOutcome, HttpRequest } from '../../action/exchange.ts'
import { openDnsApi } from '../../action/records/dns-api.ts'
import { readSettings } from '../../push/settings.ts'
import { updateHost } from '../../push/update.ts'
import { response } from '../simulation/faults.ts'
import { Zone } from '../simulation/zone.ts'
import { first, home, second } from './endpoint.ts'

const zoneId = '0'.repeat(32)
const baseUrl = 'https://api.example'
const reading = readSettings({
  API_TOKEN: 'token-0123456789abcdefghijklmnopqrstuvwxyz',
  ZONE_ID: zoneId,
  BASE_URL: baseUrl,
  CREATE: 'true',
  HOSTS: `${home} A sha256:${'a'.repeat(64)}`,
})
if ('problems' in reading) throw new Error(reading.problems.join('\n'))
const { value: settings } = reading

/** A ping that one instance of a Worker answers: its next request, and the word of its answer once there is none. */
class Ping {
  next: (() => void) | null = null
  word = ''

  constructor(zone: Zone, address: string) {
    const exchange = (request: HttpRequest) =>
      new Promise<HttpOutcome>(resolve => {
        this.next = () => {
          this.next = null
          const reply = zone.handle(request, () => {})
          resolve(response(reply.status, reply.body))
        }
      })
    const clock = { now: () => 0, sleep: async () => {}, random: () => 0 }
    const api = openDnsApi({ baseUrl, token: settings.apiToken }, exchange, startDeadline(7500, clock), clock)
    const [host] = settings.hosts
    const addresses = { A: { value: address }, AAAA: { value: null } }
    if (host)
      void updateHost(settings, host, addresses, api).then(([outcome]) => {
        this.word = outcome?.line.word ?? ''
      })
  }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

/** Lets the requests of two pings take effect in an order: bit N says which ping comes Nth, as long as both have a request. */
async function run(order: number, addresses: readonly [string, string]) {
  const zone = new Zone(zoneId, 'example.com')
  zone.add({ type: 'A', name: 'www.example.com', content: first })
  const pings = addresses.map(address => new Ping(zone, address))
  let choices = 0
  for (;;) {
    await settled()
    const ready = pings.filter(({ next }) => next !== null)
    if (ready.length === 0) break
    ready[ready.length > 1 ? (order >> choices++) & 1 : 0]?.next?.()
  }
  const held = () => zone.records.filter(({ name }) => name === home).map(({ content }) => content)
  const [words, left] = [pings.map(({ word }) => word), held()]
  const again = new Ping(zone, second)
  for (let isOpen = true; isOpen; isOpen = again.next !== null) {
    again.next?.()
    await settled()
  }
  return { choices, words, left, word: again.word, held: held() }
}

it.each([
  ['the same address', second],
  ['different addresses', first],
] as const)(
  'two Workers that create at once leave one record at most, in every order: %s',
  { timeout: 60_000 },
  async (_, other) => {
    const seen = new Map<string, number>()
    for (let order = 0, most = 1; order < 2 ** most; order++) {
      const { choices, words, left, word, held } = await run(order, [second, other])
      most = Math.max(most, choices)
      const good = [second, other].filter((_, place) => ['good', 'nochg'].includes(words[place] ?? ''))
      expect(left.length, `order ${order}: ${words} and ${left}`).toBeLessThanOrEqual(1)
      // The last success holds: an earlier one may have been overwritten since.
      if (good.length > 0) expect(good, `order ${order}`).toContain(left[0])
      expect({ word, held }).toEqual({ word: expect.stringMatching(/^(good|nochg)$/), held: [second] })
      seen.set(words.join(), (seen.get(words.join()) ?? 0) + 1)
    }
    process.stdout.write(`${_}: ${[...seen].map(([words, times]) => `${words} ${times}`).join('; ')}\n`)
    expect(seen.size).toBeGreaterThan(1)
  },
)
