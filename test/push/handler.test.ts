import { describe, expect, it } from 'vitest'
import type { Exchange, HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import { exchange } from '../../push/exchange.ts'
import type { Fault } from '../../sandbox/http/faults.ts'
import { response } from '../support/response.ts'
import { list, onList, onPut, type Stage } from '../support/stage.ts'
import { first, fritzBox, home, hostLine, ipv6, second, startEndpoint } from './endpoint.ts'
import { hostLines, success, useStage, zoneList } from './use-stage.ts'

let stage: Stage
const { contents, writes } = useStage(started => {
  stage = started
})

/** The read that a ping begins with succeeds, and none after it. */
const away: Fault = { match: onList, skip: 1, times: null, answer: { kind: 'respond', status: 503 } }
const puts = (count: number) => Array(count).fill(expect.stringMatching(/^PUT/))

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
    const HOSTS = await hostLines([home, cname, several, missing, readOnly])
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
    const HOSTS = await hostLines([home, www])
    const { ping } = await startEndpoint(stage, { HOSTS })
    expect((await ping(`hostname=${home},${www}&myip=${second}`)).status).toBe(200)
    expect(stage.records()).toMatchObject([
      { name: home, content: second, ttl: 300, proxied: false },
      { name: www, content: second, ttl: 1, proxied: true },
    ])
  })

  it('has the word of the record that needs most, so that inadyn does not exit for what may pass', async () => {
    const other = '2a00:1450:4001:82b::2'
    const { ping } = await startEndpoint(stage, { HOSTS: await hostLine(home, 'A,AAAA') })
    stage.setRecords({ content: first }, { type: 'AAAA', content: ipv6 })
    expect((await ping(`hostname=${home}&myip=${first},${other}`)).body).toBe(`good ${first},${other}\n`)
    stage.setRecords({ type: 'AAAA', content: ipv6 })
    const body = expect.stringMatching(/^dnserr This address is private/)
    expect(await ping(`hostname=${home}&myip=${second},fe80::1`)).toMatchObject({ status: 503, body })
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
  const nas = 'nas.example.com'
  const cam = 'cam.example.com'
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

  it('asks for a prefix if ip6lanprefix is empty, whatever address the router has', async () => {
    const { ping } = await start()
    const { body } = await ping(`hostname=${nas}&myip=${second}&myipv6=${own}&ip6lanprefix=`)
    expect(body).toMatch(/^dnserr There is no prefix for the host part\. Send ip6lanprefix,/)
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
})

it('the log names the settings of the endpoint, not inputs of the action', async () => {
  const { ping, entries } = await startEndpoint(stage, { EXPECTED_CIDR: '8.0.0.0/8' })
  expect((await ping(`hostname=${home}&myip=${second}`)).status).toBe(503)
  const logged = JSON.stringify(entries)
  expect(logged).toContain('add the range to EXPECTED_CIDR')
  expect(logged).not.toContain('expected-cidr')
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

  it('is told although NS records hide it, and the answer is nohost', async () => {
    const hidden = 'home.sub.example.com'
    const ns = { type: 'NS', name: 'sub.example.com', content: 'ns1.example.net' }
    stage.setRecords(ns, { name: hidden, content: first })
    const services = startServices()
    const settings = { HOSTS: await hostLine(hidden), NOTIFY_URL: 'https://ntfy.example/x' }
    const { ping, entries } = await startEndpoint(stage, settings, services)
    for (let pings = 0; pings < 2; pings++)
      expect(await ping(`hostname=${hidden}&myip=${second}`)).toMatchObject({ status: 200, body: 'nohost\n' })
    expect(services.told).toMatchObject([{ body: `${hidden} (A): changed from ${first} to ${second}` }])
    expect(entries).toMatchObject(Array(2).fill({ problems: [{ reason: 'not-served' }] }))
    expect(writes()).toBe(1)
  })

  it('is told to a service that hangs without a delay for the monitor', async () => {
    const services = startServices(() => new Promise(() => {}))
    const settings = { HEARTBEAT_URL: `${monitor}/abcdef`, NOTIFY_URL: 'https://ntfy.example/x' }
    const { ping } = await startEndpoint(stage, settings, { ...services, keepAlive: () => {} })
    await ping(`hostname=${home}&myip=${second}`)
    await expect.poll(() => services.told.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })
})

describe('a monitor', () => {
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

describe('other requests', () => {
  it('are told where to go', async () => {
    const { ping } = await startEndpoint(stage)
    expect((await ping('', { path: '/' })).status).toBe(404)
    expect((await ping('', { method: 'PUT' })).status).toBe(405)
    expect(await ping('')).toMatchObject({ status: 200, body: 'notfqdn\n' })
    expect(await ping('', { path: '/health', password: null })).toMatchObject({ status: 200, body: 'up\n' })
  })
})
