import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../action/deadline.ts'
import type { Exchange, HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import { exchange } from '../../push/exchange.ts'
import type { HandlerContext } from '../../push/handler.ts'
import type { Fault } from '../../sandbox/http/faults.ts'
import { response } from '../support/response.ts'
import { list, onList, onPut, type Stage, startStage } from '../support/stage.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import {
  first,
  fritzBox,
  home,
  hostLine,
  ipv6,
  otherPassword,
  password,
  second,
  startEndpoint,
} from './endpoint.ts'

/** No client may find a word of success in a failure: inadyn and OpenWrt look for them anywhere. */
const success = /good|nochg|ok|true|updated|success/i

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())
beforeEach(() => stage.setRecords({ content: first }))
afterEach(async () => {
  stage.setFaults()
  stage.control.clearJournal()
})

/** The read that a ping begins with succeeds, and none after it. */
const away: Fault = { match: onList, skip: 1, times: null, answer: { kind: 'respond', status: 503 } }

/** The one list of a ping for several names. */
const zoneList = 'GET dns_records?per_page=1000'
const puts = (count: number) => Array(count).fill(expect.stringMatching(/^PUT/))

const contents = () => stage.records().map(({ name, type, content }) => `${name} ${type} ${content}`)
const hostLines = async (...names: readonly string[]) =>
  (await Promise.all(names.map(name => hostLine(name)))).join('\n')
const writes = () => stage.journal().filter(({ method }) => method !== 'GET').length

describe('a ping', () => {
  it('writes a new address once, reads it back, and only reads the record for the next one', async () => {
    const { ping } = await startEndpoint(stage)
    const answer = await ping(`hostname=${home}&myip=${second}`)
    expect(answer).toMatchObject({ status: 200, body: `good ${second}\n` })
    expect(stage.dnsRequests()).toEqual([list, expect.stringMatching(/^PUT/), list])
    stage.control.clearJournal()
    expect((await ping(`hostname=${home}&myip=${second}`)).body).toBe(`nochg ${second}\n`)
    expect(stage.dnsRequests()).toEqual([list])
  })

  it.each([
    ['a private address', 'myip=192.168.1.7'],
    ['an address outside EXPECTED_CIDR', 'myip=1.1.1.1'],
    ['an address of the other family only', `myip=${ipv6}`],
    ['an IPv6 caller for an A record', ''],
  ])('is refused for now with %s, without a request', async (_, query) => {
    stage.setRecords({ content: second })
    const { ping } = await startEndpoint(stage, { EXPECTED_CIDR: '8.0.0.0/6 192.168.0.0/16 2a00::/16' })
    const answer = await ping(`hostname=${home}&${query}`, { from: ipv6 })
    expect(answer).toMatchObject({ status: 503, body: expect.stringMatching(/^dnserr [A-Zi].*\.\n$/) })
    expect(answer.body).not.toMatch(success)
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(stage.journal()).toEqual([])
    expect(contents()).toEqual([`${home} A ${second}`])
  })

  it('leaves other records alone, and says nohost where there is no single record', async () => {
    const cname = 'cname.example.com'
    const several = 'several.example.com'
    const missing = 'missing.example.com'
    const readOnly = 'read-only.example.com'
    stage.setRecords(
      { content: first },
      { name: readOnly, content: second, meta: { read_only: true } },
      { name: cname, type: 'CNAME', content: home },
      { name: several, content: first },
      { name: several, content: second },
    )
    const HOSTS = await hostLines(home, cname, several, missing, readOnly)
    const { ping } = await startEndpoint(stage, { HOSTS })
    const names = `${several},${cname},${home},${missing},${readOnly},other.example.com,nodot`
    expect(await ping(`hostname=${names}&myip=${first}`)).toMatchObject({
      status: 200,
      body: `numhost\nnohost\nnochg ${first}\nnohost\nnohost\nnohost\nnotfqdn\n`,
    })
    expect(writes()).toBe(0)
    expect(stage.dnsRequests()).toEqual([zoneList])
  })

  it('keeps the TTL and the proxy of a record', async () => {
    const www = 'www.example.com'
    stage.setRecords({ content: first, ttl: 300 }, { name: www, content: first, proxied: true, ttl: 1 })
    const HOSTS = await hostLines(home, www)
    const { ping } = await startEndpoint(stage, { HOSTS })
    expect((await ping(`hostname=${home},${www}&myip=${second}`)).status).toBe(200)
    expect(stage.records()).toMatchObject([
      { name: home, content: second, ttl: 300, proxied: false },
      { name: www, content: second, ttl: 1, proxied: true },
    ])
  })

  it('changes the A record although there is no address for the AAAA record', async () => {
    stage.setRecords({ content: first }, { type: 'AAAA', content: ipv6 })
    const { ping } = await startEndpoint(stage, { HOSTS: await hostLine(home, 'A,AAAA') })
    const body = 'dnserr There are several addresses of one family.\n'
    expect(await ping(`hostname=${home}&myip=${second},${ipv6},2a00::1`)).toMatchObject({ status: 503, body })
    expect(contents()).toEqual([`${home} A ${second}`, `${home} AAAA ${ipv6}`])
  })
})

describe('a ping for hosts behind the router', () => {
  const [nas, cam] = ['nas.example.com', 'cam.example.com']
  const own = '2a00:1450:4001:82b::2'
  const lan = '2a00:1450:4001:ef00'
  const names = `hostname=${cam},${home},${nas}`

  async function start() {
    stage.setRecords(
      { content: first },
      { type: 'AAAA', content: ipv6 },
      { name: nas, type: 'AAAA', content: ipv6 },
      { name: cam, content: first },
      { name: cam, type: 'AAAA', content: ipv6 },
    )
    const HOSTS = [
      await hostLine(home, 'A,AAAA'),
      await hostLine(nas, 'AAAA=::7/64'),
      await hostLine(cam, 'AAAA=::5:0:0:0:9/56,A'),
    ].join('\n')
    return startEndpoint(stage, { HOSTS })
  }

  it('keeps them and the router, in its order, with one list before the writes and one after', async () => {
    const { ping } = await start()
    const query = `${names}&myip=${second}&myipv6=${own}&ip6lanprefix=${lan}::/64`
    const addresses = [`${second},2a00:1450:4001:ef05::9`, `${second},${own}`, `${lan}::7`]
    const body = (word: string) => addresses.map(text => `${word} ${text}\n`).join('')
    expect(await ping(query)).toMatchObject({ status: 200, body: body('good') })
    expect(stage.dnsRequests()).toEqual([zoneList, ...puts(5), zoneList])
    expect(await ping(query)).toMatchObject({ status: 200, body: body('nochg') })
  })

  it('refuses a prefix that is shorter than a host part, for this name only', async () => {
    const { ping, entries } = await start()
    const query = `${names}&myip=${second}&myipv6=${own}&ip6lanprefix=${lan}::/56`
    const sentence = 'ip6lanprefix has 56 bits, and the host part of this name follows 64.'
    const answer = await ping(query)
    expect(answer).toMatchObject({
      status: 503,
      body: expect.stringContaining(`911\n911\ndnserr ${sentence}`),
    })
    expect(answer.body).not.toMatch(success)
    expect(contents()).toContain(`${nas} AAAA ${ipv6}`)
    expect(contents()).toContain(`${cam} AAAA 2a00:1450:4001:ef05::9`)
    expect(JSON.stringify(entries)).toContain(`${nas} dnserr ${sentence}`)
    // Its network is the first one of the prefix.
    expect((await ping(query, { agent: fritzBox })).body).toContain(`\ngood ${lan}::7\n`)
  })

  it('says that ip6lanprefix is empty, whatever address the router has', async () => {
    const { ping } = await start()
    const { body } = await ping(`hostname=${nas}&myip=${second}&myipv6=${own}&ip6lanprefix=`)
    expect(body).toMatch(/^dnserr ip6lanprefix is empty/)
  })

  it('leaves the AAAA record of the router alone if it gives the prefix only', async () => {
    const { ping } = await start()
    const answer = await ping(`hostname=${home},${nas}&myip=${second}&myipv6=&ip6lanprefix=${lan}::/64`)
    expect(answer).toMatchObject({ status: 200, body: `good ${second}\ngood ${lan}::7\n` })
    expect(contents()).toContain(`${home} AAAA ${ipv6}`)
  })

  it('never takes the address that it came from for that of their network', async () => {
    const { ping } = await start()
    expect((await ping(`hostname=${home},${cam}`, { from: second })).body).toBe(
      `good ${second}\ngood ${second}\n`,
    )
    const answer = await ping(names, { from: own })
    expect(answer.body).toMatch(/^dnserr .*\n911\ndnserr There is no prefix for the host part\. .*\n$/)
    expect(contents().filter(text => text.includes('AAAA'))).toEqual([
      `${home} AAAA ${own}`,
      `${nas} AAAA ${ipv6}`,
      `${cam} AAAA ${ipv6}`,
    ])
  })
})

describe('a router that pings all the time', () => {
  /** Starts an endpoint at a time that the test sets. */
  async function startAt(
    change: Readonly<Record<string, string>> = {},
    context: Partial<HandlerContext> = {},
  ) {
    let laterMs = 0
    const now = () => clock.now() + laterMs
    const endpoint = await startEndpoint(stage, change, { ...context, clock: { ...clock, now } })
    function pass(ms: number): void {
      laterMs += ms
    }
    return { ...endpoint, pass }
  }

  it('costs four requests a minute with the same address', async () => {
    const { ping, pass } = await startAt()
    for (let pings = 0; pings < 20; pings++)
      expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`nochg ${first}\n`)
    expect(stage.dnsRequests()).toEqual(Array(4).fill(list))
    stage.setRecords({ content: second })
    pass(60_000)
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`good ${first}\n`)
  })

  it('is told what the record holds after a change by somebody else', async () => {
    const { ping } = await startAt()
    for (let changes = 0; changes < 5; changes++) {
      stage.setRecords({ content: second })
      expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`good ${first}\n`)
    }
  })

  it('has two reads left for other addresses after six equal pings', async () => {
    const { ping } = await startAt()
    const pings = Array.from({ length: 6 }, () => ping(`hostname=${home}&myip=${first}`))
    for (const { body } of await Promise.all(pings)) expect(body).toBe(`nochg ${first}\n`)
    for (const address of [second, first])
      expect((await ping(`hostname=${home}&myip=${address}`)).body).toBe(`good ${address}\n`)
  })

  it('is read six times a minute with other addresses, and then waits', async () => {
    const other = 'other.example.com'
    stage.setRecords({ content: first }, { name: other, content: first })
    const HOSTS = await hostLines(home, other)
    const { ping, pass, entries } = await startAt({ HOSTS })
    for (const address of [first, second, first, second, first, second])
      expect((await ping(`hostname=${home}&myip=${address}`)).body).toContain(address)
    stage.control.clearJournal()
    pass(15_000)
    const limited = await ping(`hostname=${home}&myip=${first}`)
    expect(limited).toMatchObject({ status: 503, body: '911\n' })
    expect(entries.at(-1)).toMatchObject({ event: 'ping', lines: [`${home} 911`], limited: true })
    const waitS = Number(limited.headers.get('retry-after'))
    expect(waitS).toBeGreaterThan(30)
    expect(waitS).toBeLessThanOrEqual(45)
    expect(stage.journal()).toEqual([])
    // Something else may have changed the record since it was read.
    expect((await ping(`hostname=${home}&myip=${second}`)).body).toBe('911\n')
    expect((await ping(`hostname=${other}&myip=${second}`)).body).toBe(`good ${second}\n`)
    pass(waitS * 1000)
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`good ${first}\n`)
  })

  it('has no word of success beside a name that waits, even for one that is right', async () => {
    const HOSTS = `${await hostLine(home)}\n${await hostLine('x.example.com', 'AAAA')}`
    const { ping } = await startAt({ HOSTS })
    const answer = await ping(`hostname=${home},x.example.com,y.example.com&myip=${first}`)
    expect(answer).toMatchObject({ status: 503, body: expect.stringMatching(/^911\ndnserr .*\nnohost\n$/) })
    expect(answer.body).not.toMatch(success)
  })

  it('is read again if the read failed, at most six times a minute', async () => {
    const { ping } = await startAt()
    stage.setFaults({ match: onList, times: null, answer: { kind: 'respond', status: 403 } })
    for (let pings = 0; pings < 20; pings++)
      expect(await ping(`hostname=${home}&myip=${first}`)).toMatchObject({ status: 503, body: '911\n' })
    expect(stage.dnsRequests()).toEqual(Array(6).fill(list))
  })

  it('is right for each of fifty pings in one moment', async () => {
    const { ping } = await startEndpoint(stage)
    const pings = Array.from({ length: 50 }, () => ping(`hostname=${home}&myip=${first}`))
    expect(new Set((await Promise.all(pings)).map(({ body }) => body))).toEqual(new Set([`nochg ${first}\n`]))
    // On a busy machine a read can be repeated.
    expect(stage.dnsRequests().length).toBeLessThan(20)
  })
})

const addressesOf = (last: number) => `9.9.9.${last},2a00:1450:4001:82b::${last}`

/** Gives each name records of both types with the first addresses. */
function setBoth(names: readonly string[]): void {
  stage.setRecords(
    ...names.flatMap(name => [
      { name, content: '9.9.9.1' },
      { name, type: 'AAAA', content: '2a00:1450:4001:82b::1' },
    ]),
  )
}

it('leaves a change of every other name to it while one name changes all the time', async () => {
  const names = ['home.example.com', 'nas.example.com']
  setBoth(names)
  let nowMs = 0
  const HOSTS = (await Promise.all(names.map(name => hostLine(name, 'A,AAAA')))).join('\n')
  const { ping } = await startEndpoint(stage, { HOSTS }, { clock: { ...clock, now: () => nowMs } })
  // Six in each minute, with a list, two writes and a list, would use up all 120 requests.
  for (; nowMs < 300_000; nowMs += 10_000)
    await ping(`hostname=${names[0]}&myip=${addressesOf(2 + ((nowMs / 10_000) % 2))}`)
  nowMs -= 1
  expect((await ping(`hostname=${names[1]}&myip=${addressesOf(4)}`)).body).toBe(`good ${addressesOf(4)}\n`)
})

describe.each([20, 50])('%i names with records of both types', count => {
  const names = Array.from({ length: count }, (_, number) => `n${number}.example.com`)
  /** A change of all is a list, and a write and a list for each record at most. */
  const change = names.length * (2 + 2)

  /** Starts an endpoint for them, with a clock that only moves between pings of all of them. */
  async function startAll() {
    setBoth(names)
    let nowMs = 0
    const HOSTS = (await Promise.all(names.map(name => hostLine(name, 'A,AAAA')))).join('\n')
    // Without jitter, a repetition is sent at once.
    const own = { ...clock, now: () => nowMs, random: () => 0 }
    const { ping } = await startEndpoint(stage, { HOSTS }, { clock: own })
    async function pingAll(last: number, most = 20) {
      nowMs += 10_000
      const bodies = []
      for (let start = 0; start < count; start += most)
        bodies.push(
          (await ping(`hostname=${names.slice(start, start + most)}&myip=${addressesOf(last)}`)).body,
        )
      return bodies.join('')
    }
    return { pingAll }
  }
  const allOf = (word: string, last: number) => `${word} ${addressesOf(last)}\n`.repeat(names.length)

  it('change at once with one list before and after each ping, and fewer requests than a free Worker can send', async () => {
    const { pingAll } = await startAll()
    expect(await pingAll(2)).toBe(allOf('good', 2))
    const pings = Math.ceil(count / 20)
    expect(stage.dnsRequests().filter(request => request === zoneList)).toHaveLength(2 * pings)
    expect(stage.journal()).toHaveLength(2 * pings + 2 * count)
    expect(2 + 2 * 20).toBeLessThan(50)
  })

  it('can still all change after any number of pings without a change', async () => {
    const { pingAll } = await startAll()
    for (let pings = 0; pings < 4; pings++) expect(await pingAll(1, 1)).toBe(allOf('nochg', 1))
    // From then on, they are answered from memory.
    expect(stage.journal()).toHaveLength(change - count)
    expect(await pingAll(2)).toBe(allOf('good', 2))
  })

  if (count > 20) return

  it('cost at most two changes of each in five minutes', async () => {
    const { pingAll } = await startAll()
    for (let pings = 0; pings < 30; pings++) await pingAll(1 + (pings % 2))
    expect(stage.journal().length).toBeLessThanOrEqual(2 * change)
    expect(stage.journal().length).toBeGreaterThan(change)
  })

  it('cost no more if each write is repeated', async () => {
    const { pingAll } = await startAll()
    expect(await pingAll(1)).toBe(allOf('nochg', 1))
    stage.setFaults({ match: onPut, times: null, answer: { kind: 'reset' } })
    expect(await pingAll(2)).toBe('911\n'.repeat(names.length))
    expect(stage.journal()).toHaveLength(2 * change)
  })
})

describe('a fault of Cloudflare', () => {
  it('is answered with 911, even if it asks for more time than a minute', async () => {
    const { ping, entries } = await startEndpoint(stage)
    const answer = { kind: 'respond', status: 429, headers: { 'retry-after': '300' } } as const
    stage.setFaults({ match: onPut, times: null, answer })
    const answered = await ping(`hostname=${home}&myip=${second}`)
    expect(answered).toMatchObject({ status: 503, body: '911\n' })
    expect(answered.headers.get('retry-after')).toBe('60')
    expect(entries).toMatchObject([{ level: 'warning', event: 'ping', lines: [`${home} 911`] }])
    expect(contents()).toEqual([`${home} A ${first}`])
    stage.setFaults()
    expect((await ping(`hostname=${home}&myip=${second}`)).body).toBe(`good ${second}\n`)
  })

  it.each([
    ['carried out', true, second, 'nochg'],
    ['lost', false, first, 'good'],
  ])('is answered with 911: a write that is %s, and nothing after it', async (_, commit, held, word) => {
    const limits = { answerMs: 1200, workMs: 2400, callMs: 650 }
    const { ping } = await startEndpoint(stage, {}, { limits })
    stage.setFaults({ match: onPut, commit, answer: { kind: 'reset' } }, away)
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 503, body: '911\n' })
    expect(contents()).toEqual([`${home} A ${held}`])
    stage.setFaults()
    expect((await ping(`hostname=${home}&myip=${second}`)).body).toBe(`${word} ${second}\n`)
  })

  it('that repeats the token does not put it into the log', async () => {
    const { ping, entries, env } = await startEndpoint(stage)
    const errors = [{ code: 10000, message: `The token ${env.API_TOKEN} is not valid.` }]
    stage.setFaults({ match: onPut, times: null, answer: { kind: 'errors', status: 403, errors } })
    expect((await ping(`hostname=${home}&myip=${second}`)).body).toBe('911\n')
    const log = JSON.stringify(entries)
    expect(log).toContain('The token ***')
    expect(log).not.toContain(env.API_TOKEN)
    expect(log).not.toMatch(/next run|by hand/)
  })

  it('ends in 911 after eight seconds, whatever it is', async () => {
    const { promise: never } = Promise.withResolvers<never>()
    const sleep = (ms: number) => (ms === 8000 ? Promise.resolve() : never)
    const own = { clock: { ...clock, sleep }, exchange: () => never }
    const context = { ...own, keepAlive: () => {}, limits: undefined }
    const { ping } = await startEndpoint(stage, {}, context)
    expect(await ping(`hostname=${home}`)).toMatchObject({ status: 503, body: '911\n' })
  })
})

it('the log names the settings of the endpoint, not inputs of the action', async () => {
  const { ping, entries } = await startEndpoint(stage, { EXPECTED_CIDR: '8.0.0.0/8' })
  expect((await ping(`hostname=${home}&myip=${second}`)).status).toBe(503)
  const logged = JSON.stringify(entries)
  expect(logged).toContain('add the range to EXPECTED_CIDR')
  expect(logged).not.toContain('expected-cidr')
})

/**
 * Sends a ping of which a request, the first by default, waits until a later ping has arrived: that one waits for it, or is
 * answered. The request then fails if `outcome` says so.
 */
async function overlap(
  query: string,
  later: string,
  options: Parameters<Awaited<ReturnType<typeof startEndpoint>>['ping']>[1] = {},
  { at = 0, outcome }: { readonly at?: number; readonly outcome?: HttpOutcome } = {},
) {
  const [began, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let requests = 0
  const slow: Exchange = async request => {
    if (requests++ !== at) return exchange(request)
    began.resolve()
    await arrived.promise
    return outcome ?? exchange(request)
  }
  const sleep: typeof clock.sleep = (ms, signal) => {
    if (ms < 1000) arrived.resolve()
    return clock.sleep(ms, signal)
  }
  const HOSTS = await hostLine(home, 'A,AAAA')
  const started = await startEndpoint(
    stage,
    { HOSTS },
    {
      exchange: slow,
      clock: { ...clock, sleep },
      // The answer to one ping does not wait for the work of the other.
      keepAlive: () => {},
    },
  )
  const older = started.ping(`hostname=${home}&${query}`)
  await began.promise
  const newer = started.ping(`hostname=${home}&${later}`, options)
  newer.then(() => arrived.resolve(), arrived.reject)
  return { older, newer, entries: started.entries }
}

describe('two writers', () => {
  it('wait for each other if they are pings for one name', async () => {
    stage.setRecords({ content: '1.1.1.1' })
    const { ping } = await startEndpoint(stage)
    const pings = Array.from({ length: 3 }, () => ping(`hostname=${home}&myip=${second}`))
    const bodies = (await Promise.all(pings)).map(({ body }) => body)
    // Which is first depends on whose password was checked first.
    expect(bodies.toSorted()).toEqual([`good ${second}\n`, `nochg ${second}\n`, `nochg ${second}\n`])
    const methods = stage.journal().map(({ method }) => method)
    expect(methods).toEqual(['GET', 'PUT', 'GET', 'GET', 'GET'])
  })

  it('are both heard, but the older ping that is slow writes nothing', async () => {
    const other = '1.0.0.1'
    stage.setRecords({ content: other })
    const { older, newer, entries } = await overlap(`myip=${second}`, `myip=${first}`)
    expect(await older).toMatchObject({ status: 503, body: '911\n' })
    expect(await newer).toMatchObject({ status: 200, body: `good ${first}\n` })
    expect(stage.dnsRequests()).toEqual([list, list, expect.stringMatching(/^PUT/), list])
    const message = expect.stringContaining('because a later ping has another address')
    await expect
      .poll(() => entries)
      .toContainEqual(expect.objectContaining({ problems: [{ reason: 'address-disagreement', message }] }))
  })

  it('are both heard, and a write of the older ping that failed is not repeated after the later one', async () => {
    stage.setRecords({ content: '1.0.0.1' })
    const failed = { at: 1, outcome: response('', { status: 503 }) }
    const { older, newer } = await overlap(`myip=${second}`, `myip=${first}`, {}, failed)
    expect(await older).toMatchObject({ status: 503, body: '911\n' })
    expect(await newer).toMatchObject({ status: 200, body: `good ${first}\n` })
    expect(writes()).toBe(1)
  })

  it.each([
    ['a wrong password', `myip=${first}`, { password: 'wrong' }],
    ['a private address', 'myip=10.0.0.1', {}],
    ['an address of the other type', `myip=${ipv6}`, {}],
    ['the same address', `myip=${second}`, {}],
    ['an address that cannot be read', 'myip=1.2.3.4.5', {}],
  ])('do not stop each other if the later ping has %s', async (_, query, options) => {
    stage.setRecords({ content: '1.0.0.1' }, { type: 'AAAA', content: ipv6 })
    const { older, newer } = await overlap(`myip=${second}`, query, options)
    // The later ping with the same address may have written it first.
    expect((await older).body).toMatch(new RegExp(`^(good|nochg) ${second}\n$`))
    await newer
    expect(contents()).toEqual([`${home} A ${second}`, `${home} AAAA ${ipv6}`])
  })

  it('wait for each other no longer than a ping may work', async () => {
    const { clock: own } = virtualClock()
    let [requests, writtenMs] = [0, 0]
    const hanging: Exchange = async request => {
      if (requests++ === 0) return new Promise(() => {})
      if (request.method === 'PUT') writtenMs = own.now()
      return exchange(request)
    }
    const limits = { answerMs: 8000, workMs: 16_000, callMs: 6500 }
    const context = { exchange: hanging, clock: own, limits, keepAlive: () => {} }
    const { ping } = await startEndpoint(stage, {}, context)
    for (const address of [first, second]) await ping(`hostname=${home}&myip=${address}`)
    await expect.poll(() => writtenMs).toBeGreaterThan(0)
    // Each answer took eight seconds.
    expect(writtenMs).toBeLessThanOrEqual(2 * 8000 + 16_000)
  })

  it('are noticed: another address that lands after the write is no success', async () => {
    stage.setRecords({ content: '1.1.1.1' })
    const overtaken: Exchange = async request => {
      const outcome = await exchange(request)
      if (request.method === 'PUT') stage.setRecords({ content: first })
      return outcome
    }
    const { ping, entries } = await startEndpoint(stage, {}, { exchange: overtaken })
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 503, body: '911\n' })
    expect(entries[0]).toMatchObject({ problems: [{ reason: 'write-unconfirmed' }] })
  })

  it('are put right by the next ping if an older address lands late', async () => {
    const late: HttpRequest[] = []
    const hanging: Exchange = async request => {
      if (request.method !== 'PUT' || !request.body?.includes(second)) return exchange(request)
      late.push(request)
      return { kind: 'failure', cause: 'timeout', detail: 'no complete response' }
    }
    const { ping } = await startEndpoint(stage, {}, { exchange: hanging })
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 503, body: '911\n' })
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`nochg ${first}\n`)
    for (const request of late) await exchange(request)
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`good ${first}\n`)
    expect(contents()).toEqual([`${home} A ${first}`])
  })

  it('cannot make a deleted record a reason to stop: it is 911 until the next read', async () => {
    const deleting: Exchange = async request => {
      if (request.method === 'PUT') stage.setRecords({ name: 'www.example.com', content: first })
      return exchange(request)
    }
    const { ping } = await startEndpoint(stage, {}, { exchange: deleting })
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 503, body: '911\n' })
    expect(await ping(`hostname=${home}&myip=${second}`)).toMatchObject({ status: 200, body: 'nohost\n' })
  })
})

/** Sends what is not for Cloudflare to services of the test, and returns what they were told with it. */
function startServices(answer = async (): Promise<HttpOutcome> => response('')) {
  const told: HttpRequest[] = []
  const own: Exchange = request => {
    if (request.url.startsWith(stage.description.cloudflare.baseUrl)) return exchange(request)
    told.push(request)
    return answer()
  }
  return { told, exchange: own }
}

const monitor = 'https://monitor.example'

describe('a change', () => {
  it('is told once, and a monitor hears of every good ping', async () => {
    const services = startServices(async () => response('', { status: 500 }))
    const settings = { HEARTBEAT_URL: `${monitor}/abcdef`, NOTIFY_URL: 'https://ntfy.example/ghijkl' }
    const { ping, entries } = await startEndpoint(stage, settings, services)
    await ping(`hostname=${home}&myip=${second}`)
    await ping(`hostname=${home}&myip=${second}`)
    await ping(`hostname=${home}&myip=192.168.1.7`)
    expect(services.told).toMatchObject([
      { method: 'POST', url: settings.NOTIFY_URL, body: `${home} (A): changed from ${first} to ${second}` },
      { method: 'GET', url: settings.HEARTBEAT_URL },
      { method: 'GET', url: settings.HEARTBEAT_URL },
    ])
    const events = entries.map(({ event }) => event)
    expect(events.slice(0, 3).toSorted()).toEqual(['heartbeat', 'notify', 'ping'])
    expect(events.slice(3)).toEqual(['ping', 'heartbeat', 'ping'])
    expect(JSON.stringify(entries)).not.toMatch(/abcdef|ghijkl/)
  })

  it('is told to a service that hangs without a delay for the monitor', async () => {
    const services = startServices(() => new Promise(() => {}))
    const settings = { HEARTBEAT_URL: `${monitor}/abcdef`, NOTIFY_URL: 'https://ntfy.example/x' }
    const { ping } = await startEndpoint(stage, settings, { ...services, keepAlive: () => {} })
    await ping(`hostname=${home}&myip=${second}`)
    await expect.poll(() => services.told.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  it('is told after the router has its answer, however long that takes', async () => {
    const told = Promise.withResolvers<HttpOutcome>()
    const services = startServices(() => told.promise)
    const work: Promise<void>[] = []
    const context = { ...services, keepAlive: (done: Promise<void>) => void work.push(done) }
    const { ping, entries } = await startEndpoint(stage, { NOTIFY_URL: 'https://ntfy.example/x' }, context)
    expect((await ping(`hostname=${home}&myip=${second}`)).body).toBe(`good ${second}\n`)
    expect(entries.map(({ event }) => event)).toEqual(['ping'])
    // A redirect is not followed, so it is no success.
    told.resolve(response('', { status: 300 }))
    await Promise.all(work)
    const message = expect.stringContaining('did not accept the message: it returned 300')
    expect(entries[1]).toEqual({ level: 'warning', event: 'notify', message })
    expect(services.told).toMatchObject([{ timeoutMs: 10_000 }])
  })
})

describe('a monitor', () => {
  it('hears of a good ping in the work that a Worker is kept alive for, and no warning follows', async () => {
    const told = Promise.withResolvers<HttpOutcome>()
    const services = startServices(() => told.promise)
    const work: Promise<void>[] = []
    const context = { ...services, keepAlive: (done: Promise<void>) => void work.push(done) }
    const { ping, entries } = await startEndpoint(stage, { HEARTBEAT_URL: `${monitor}/abcdef` }, context)
    await ping(`hostname=${home}&myip=${first}`)
    await expect.poll(() => services.told.length).toBe(1)
    const whole = Promise.all(work).then(() => 'ended')
    expect(await Promise.race([whole, setImmediate('under way')])).toBe('under way')
    told.resolve(response(''))
    expect(await whole).toBe('ended')
    expect(entries.map(({ event }) => event)).toEqual(['ping'])
  })

  it.each(['nodot', `${home},other.example.com`, `${home},nodot`])(
    'hears nothing of a ping for %s, which has a name that fails',
    async names => {
      const services = startServices()
      const { ping, entries } = await startEndpoint(stage, { HEARTBEAT_URL: `${monitor}/abcdef` }, services)
      expect((await ping(`hostname=${names}&myip=${first}`)).body).toMatch(/nohost|notfqdn/)
      expect(services.told).toEqual([])
      expect(entries.at(-1)).toMatchObject({ level: 'warning', event: 'ping' })
    },
  )
})

describe('a password', () => {
  it('is for its own names only, and two fit at a time', async () => {
    const other = 'other.example.com'
    stage.setRecords({ content: first }, { name: other, content: first })
    const shared = await hostLine(home, 'A', password, otherPassword)
    const HOSTS = `${shared}\n${await hostLine(other, 'A', otherPassword)}`
    const { ping, entries } = await startEndpoint(stage, { HOSTS })
    const both = `hostname=${home},${other}&myip=${second}`
    expect((await ping(both)).body).toBe(`good ${second}\nnohost\n`)
    expect(entries[0]).toMatchObject({ event: 'wrong-name', message: expect.stringContaining(`"${other}"`) })
    expect(contents()).toEqual([`${home} A ${second}`, `${other} A ${first}`])
    expect((await ping(both, { password: otherPassword })).body).toBe(`nochg ${second}\ngood ${second}\n`)
  })

  it.each([
    ['wrong', `hostname=${home}`, { password: 'wrong' }],
    ['missing', `hostname=${home}`, { password: null }],
    ['empty', `hostname=${home}`, { password: '' }],
    ['for another name', 'hostname=other.example.com', {}],
    ['in the query', `hostname=${home}&password=${password}`, { password: null }],
    ['by plain http', `hostname=${home}`, { secure: false }],
  ])('is refused alike if it is %s', async (_, query, options) => {
    const { ping, entries } = await startEndpoint(stage)
    const answer = await ping(`${query}&myip=${first}`, options)
    expect(answer).toMatchObject({ status: 401, body: 'badauth\n' })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /)
    expect(stage.journal()).toEqual([])
    expect(JSON.stringify(entries)).not.toContain(password)
  })

  it('that is right is not called wrong in the log if the router sends the name of the endpoint', async () => {
    const { ping, entries } = await startEndpoint(stage)
    for (let pings = 0; pings < 30; pings++)
      expect((await ping('hostname=push.example.com')).body).toBe('badauth\n')
    expect(entries[29]).toEqual({
      level: 'warning',
      event: 'wrong-name',
      message: `The password is right, but not for "push.example.com". Set the hostname in the router to "${home}".`,
    })
  })

  it('is not in the log if it is in a hostname, too, in any case', async () => {
    const own = 'Tr0ub4dor'
    const { ping, entries } = await startEndpoint(stage, { HOSTS: await hostLine(home, 'A', password, own) })
    for (const given of [password, own])
      for (const name of [
        `${given}.example.com`,
        `home.example.com.${given}x`,
        `${otherPassword}.example.com`,
      ])
        expect((await ping(`hostname=${name}`, { password: given })).body).toBe('badauth\n')
    expect(entries.map(({ event }) => event)).toEqual(Array(6).fill('wrong-name'))
    const log = JSON.stringify(entries).toLowerCase()
    for (const secret of [password, otherPassword, own]) expect(log).not.toContain(secret.toLowerCase())
  })

  it('is not asked for by plain http, where the client would send it in clear text', async () => {
    const { ping, entries } = await startEndpoint(stage)
    const answer = await ping(`hostname=${home}`, { password: null, secure: false })
    expect(answer).toMatchObject({ status: 401, body: 'badauth\n' })
    expect(answer.headers.get('www-authenticate')).toBe('TLS realm="Homeport"')
    const message = expect.stringContaining('before it sent its password')
    expect(entries).toEqual([{ level: 'warning', event: 'plain-http', message }])
  })

  it('is called disclosed if it came by plain http in any form', async () => {
    const { ping, entries } = await startEndpoint(stage)
    await ping(`hostname=${home}&password=${password}`, { password: null, secure: false })
    await ping(`hostname=${home}`, { secure: false })
    expect(entries.map(({ message }) => message)).toEqual(
      Array(2).fill(expect.stringMatching(/^A password came by plain http/)),
    )
  })

  it('may be in the query or cross plain http if the settings say so', async () => {
    const { ping } = await startEndpoint(stage, { QUERY_PASSWORDS: 'true', PLAIN_HTTP: 'true' })
    const query = `hostname=${home}&myip=${first}&password=${password}`
    expect((await ping(query, { password: null, secure: false })).body).toBe(`nochg ${first}\n`)
  })

  it('passes if it is right, however many wrong ones came from its network', async () => {
    const { ping, entries } = await startEndpoint(stage)
    const wrong = () => ping(`hostname=${home}`, { password: 'wrong' })
    for (let attempts = 0; attempts < 20; attempts++) expect((await wrong()).status).toBe(401)
    for (let attempts = 0; attempts < 30; attempts++)
      expect((await ping(`hostname=${home}`, { password: null })).status).toBe(401)
    expect(entries.at(-1)).toMatchObject({ event: 'wrong-password', limited: false })
    const limited = await wrong()
    expect(entries.at(-1)).toMatchObject({ event: 'wrong-password', limited: true })
    expect(limited).toMatchObject({ status: 503, body: '911\n' })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(50)
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`nochg ${first}\n`)
    expect((await ping(`hostname=${home}`, { password: 'wrong', from: first })).status).toBe(401)
  })

  it('that is wrong counts for the network of 64 bits, and for callers that are unknown together', async () => {
    const { ping } = await startEndpoint(stage)
    const wrong = (from: string | null) => ping(`hostname=${home}`, { password: 'wrong', from })
    for (const unknown of [false, true]) {
      for (let host = 1; host <= 20; host++)
        expect((await wrong(unknown ? null : `2a00:1450:4001:82b::${host}`)).status).toBe(401)
      expect((await wrong(unknown ? null : '2a00:1450:4001:82b:ffff::1')).status).toBe(503)
    }
    expect((await wrong('2a00:1450:4001:82c::1')).status).toBe(401)
  })
})

describe('other requests', () => {
  it('are told where to go', async () => {
    const { ping } = await startEndpoint(stage)
    expect((await ping('', { path: '/' })).status).toBe(404)
    expect((await ping('', { method: 'PUT' })).status).toBe(405)
    expect(await ping('')).toMatchObject({ status: 200, body: 'notfqdn\n' })
    expect(await ping('', { path: '/health', password: null })).toMatchObject({ status: 200, body: 'up\n' })
  })
})
