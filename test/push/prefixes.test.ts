import { expect, it } from 'vitest'
import { createHandler, type HandlerContext } from '../../push/handler.ts'
import { readSettings } from '../../push/settings.ts'
import { failure } from '../simulation/faults.ts'
import { Zone } from '../simulation/zone.ts'
import { expectValue } from '../support/expect-value.ts'
import { response } from '../support/response.ts'
import { Sequence } from '../support/sequence.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { fritzBox, hostLine, password } from './endpoint.ts'

const zoneId = 'a'.repeat(32)
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const answerMs = 8000

/** The addresses of a home: its own, in another /64 than its network, and the network, the first /64 of its prefix. */
interface Home {
  readonly ipv4: string
  readonly ipv6: string
  readonly prefix: string
}

const hex = (number: number) => number.toString(16)
/** The IPv4 address changes once a week. */
const homeOn = (day: number): Home => ({
  ipv4: `84.7.7.${1 + Math.floor(day / 7)}`,
  ipv6: `2a02:8108:ffff:${hex(day + 1)}::1`,
  prefix: `2a02:8109:${hex(0x1000 + day)}:ab`,
})

/** Five names: a router without a host part, hosts in the network, and hosts whose part has the number of their network. */
const names = Array.from({ length: 5 }, (_, number) => {
  const name = `n${number}.example.com`
  const id = hex(number + 1)
  if (number === 0) return { name, types: 'A,AAAA', expected: ({ ipv4, ipv6 }: Home) => [ipv4, ipv6] }
  if (number === 1)
    return {
      name,
      types: `AAAA=::5:${id}:0:0:${id}/56`,
      expected: ({ prefix }: Home) => [`${prefix}05:${id}::${id}`],
    }
  return {
    name,
    types: number === 2 ? `A,AAAA=::211:32ff:fe12:${id}/64` : `AAAA=::211:32ff:fe12:${id}/64`,
    expected: ({ ipv4, prefix }: Home) => [
      ...(number === 2 ? [ipv4] : []),
      `${prefix}00:211:32ff:fe12:${id}`,
    ],
  }
})

it('keeps five names through a year of daily prefixes: none is stale after a ping, or has another’s host part', async () => {
  const random = new Sequence(20_261_129)
  const zone = new Zone(zoneId, 'example.com')
  for (const { name, expected } of names)
    for (const content of expected(homeOn(0)))
      zone.add({ name, type: content.includes(':') ? 'AAAA' : 'A', content })
  const { clock, pass } = virtualClock()
  const HOSTS = (await Promise.all(names.map(({ name, types }) => hostLine(name, types)))).join('\n')
  const settings = expectValue(readSettings({ API_TOKEN: 'x'.repeat(40), ZONE_ID: zoneId, HOSTS }))
  const wrong: string[] = []
  let home = homeOn(0)
  let fails = false
  const expectedOf = (name: string) => names.find(one => one.name === name)?.expected(home) ?? []
  const exchange: HandlerContext['exchange'] = async request => {
    pass(100)
    const isLost = fails && random.chance(15)
    if (isLost && random.chance(50)) return failure('timeout')
    const { status, body } = zone.handle(request, ({ after: { name, content } }) => {
      if (!expectedOf(name).includes(content)) wrong.push(`${name} ${content}`)
    })
    return isLost ? failure('timeout') : response(body, { status })
  }
  const handle = createHandler(settings, {
    exchange,
    // Every ping is answered when its work has ended: schedules.test.ts has those that are slow.
    clock: { ...clock, sleep: ms => (ms === answerMs ? new Promise(() => {}) : clock.sleep(ms)) },
    log: () => {},
  })

  /** Sends a ping for all names in any order, and returns its answer. */
  async function ping(): Promise<string> {
    const order = names.map(({ name }) => ({ name, at: random.below(1000) })).toSorted((a, b) => a.at - b.at)
    const hostname = order.map(({ name }) => name)
    const { ipv4, ipv6, prefix } = home
    const query = `hostname=${hostname}&myip=${ipv4}&myipv6=${ipv6}&ip6lanprefix=${prefix}00::/56`
    const headers = { authorization: `Basic ${btoa(`any:${password}`)}`, 'user-agent': fritzBox }
    const request = new Request(`https://push.example/nic/update?${query}`, { headers })
    const body = await (await handle(request, { address: ipv6, secure: true })).text()
    const said = body.replaceAll(/^(good|nochg) /gm, '')
    const expected = hostname.map(name => `${expectedOf(name)}\n`).join('')
    if (!fails && said !== expected) wrong.push(`${body} instead of ${expected}`)
    return body
  }

  const bodies: string[] = []
  for (let day = 1; day <= 365; day++) {
    home = homeOn(day)
    fails = random.chance(20)
    bodies.push(await ping())
    if (fails) {
      fails = false
      pass(5 * minuteMs)
      await ping()
    }
    const held = (of: string) => zone.records.flatMap(({ name, content }) => (name === of ? content : []))
    for (const { name, expected } of names)
      if (held(name).toSorted().join() !== expected(home).toSorted().join())
        wrong.push(`${name} is stale on day ${day}`)
    // Some routers report that nothing changed.
    if (random.chance(30)) bodies.push(await ping())
    pass(dayMs / 2)
  }
  expect(wrong).toEqual([])
  expect(bodies.filter(body => body.startsWith('good')).length).toBeGreaterThan(250)
  expect(bodies.filter(body => body.startsWith('nochg')).length).toBeGreaterThan(50)
})
