import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Cidr } from '../../../lib/ip-address.ts'
import { createNetworkLimit, limitPeriodMs as periodMs } from '../../../lib/network-limit.ts'
import { aadsts, atProfile, atToken, late, plain, portalPage } from '../../../sandbox/testing/entra-faults.ts'
import { clientNetwork } from '../../../src/http/client-network.ts'
import { readTrustedProxies } from '../../../src/settings/values.ts'
import { maxFailures } from '../../../src/sign-in/endpoints.ts'
import { maxExchanges } from '../../../src/sign-in/exchange-limit.ts'
import { returning } from '../support/returning.ts'
import { type Person, runtimes, type Stage, startStage } from '../support/stage.ts'

/** Headers with the visitor's address, from the proxy in front of Node and the platform in front of a Worker. */
const from = (address: string) => ({ 'x-forwarded-for': address, 'cf-connecting-ip': address })

describe.each(runtimes)('the limits of sign-ins on %s', runtime => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime, {
      env: { TRUSTED_PROXIES: '127.0.0.1 ::1' },
      // The only test with a second instance is the Worker's.
      ...(runtime === 'worker' ? { variants: { strict: { REQUIRE_STATE: 'true' } } } : {}),
    })
  })
  afterAll(() => stage?.close())
  beforeEach(() => {
    stage.entra.setFaults([])
    stage.entra.clearRequests()
  })

  const redeemed = () => stage.entra.requests.filter(({ path }) => path.endsWith('/token')).length
  /** Sends junk codes of a sign-in that was started, as an attacker would. Returns the statuses. */
  async function sendJunk(count: number, address: string) {
    const attacker = stage.visitor()
    await attacker.start()
    const statuses: number[] = []
    for (let index = 0; index < count; index += 1) {
      const answer = await attacker.callback({ code: `junk-${index}` }, from(address))
      statuses.push(answer.status)
      if (answer.status === 429) {
        expect(answer.body).toMatchObject({ code: 'too-many-requests' })
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
      }
    }
    return statuses
  }
  const allowed = new Array<number>(maxFailures).fill(401)

  it('stop a network after 30 rejected codes a minute, before it reaches the provider', async () => {
    const address = '198.51.100.7'
    expect(await sendJunk(maxFailures + 3, address)).toEqual([...allowed, 429, 429, 429])
    expect(redeemed()).toBe(maxFailures)
    const { visitor, returned } = await returning(stage)
    const transaction = visitor.cookie('transaction')
    expect((await visitor.callback(returned, from(address))).status).toBe(429)
    expect(visitor.cookie('transaction')).toBe(transaction)
    expect((await visitor.callback(returned, from('198.51.100.8'))).status).toBe(200)
  })

  // Only a platform's limit is shared between instances, and Node has none.
  if (runtime === 'worker') {
    it('count the rejected codes of all instances together, by the platform’s limit', async () => {
      const address = '198.51.100.9'
      // Miniflare's limit starts again with each minute of the clock, and the test must not see that.
      const leftMs = 60_000 - (Date.now() % 60_000)
      if (leftMs < 10_000) await setTimeout(leftMs)
      expect(await sendJunk(maxFailures, address)).toEqual(allowed)
      const elsewhere = stage.visitor('strict')
      const state = (await elsewhere.start()).searchParams.get('state') ?? ''
      const codes = []
      for (let index = 0; index < 2; index += 1)
        codes.push((await elsewhere.callback({ code: `junk-${index}`, state }, from(address))).body['code'])
      expect(codes).toEqual(['sign-in-expired', 'too-many-requests'])
    })
  }

  it('count no sign-in with a real code, so an office behind one address is not stopped', async () => {
    const office = from('203.0.113.5')
    const [employee, contractor] = [await stage.hire(), await stage.hire({ employee: null })]
    async function signIn({ account }: Person) {
      const visitor = stage.visitor()
      const returned = await visitor.visitProvider(await visitor.start(), account)
      return (await visitor.callback(returned, office)).status
    }
    expect((await sendJunk(maxFailures - 1, '203.0.113.5')).at(-1)).toBe(401)
    stage.entra.setFaults([{ ...atProfile(plain(404)), times: 1 }])
    expect(await signIn(employee)).toBe(502)
    for (const status of [200, 200]) expect(await signIn(employee)).toBe(status)
    for (const status of [401, 401]) expect(await signIn(contractor)).toBe(status)
    expect(await sendJunk(2, '203.0.113.5')).toEqual([401, 429])
  })

  it('count nothing that the provider or the configuration causes', async () => {
    for (const answer of [
      plain(503),
      portalPage,
      aadsts({ error: 'server_error' }, 400),
      aadsts({ code: 7000222 }, 401),
      aadsts({ code: 50011, error: 'invalid_request' }, 400),
      // A locked account.
      aadsts({ code: 50053, error: 'invalid_grant' }, 400),
    ]) {
      stage.entra.setFaults([{ ...atToken(answer), times: null }])
      const statuses = await sendJunk(maxFailures + 2, '203.0.113.77')
      expect(new Set(statuses)).not.toContain(429)
    }
  })

  it('count no callback that never reaches the provider, and no copy of one that did', async () => {
    const office = from('203.0.113.6')
    const { account } = await stage.hire()
    const [stranger, visitor] = [stage.visitor(), stage.visitor()]
    const unsent = [{ code: 'junk' }, {}, { error: 'access_denied' }, { error: 'invalid_grant' }]
    async function sendUnsent() {
      await visitor.start()
      for (let index = 0; index < maxFailures / 2; index += 1) {
        for (const parameters of unsent) await stranger.callback(parameters, office)
        for (const parameters of unsent.slice(1)) await visitor.callback(parameters, office)
        await visitor.callback({ code: 'junk', state: 'other' }, office)
      }
    }
    await sendUnsent()
    expect(redeemed()).toBe(0)
    for (let index = 0; index <= maxFailures; index += 1) await visitor.callback({ code: 'copy' }, office)
    expect(redeemed()).toBe(1)
    const returned = await visitor.visitProvider(await visitor.start(), account)
    expect((await visitor.callback(returned, office)).status).toBe(200)
  })

  it('allow 32 exchanges with the provider at a time', async () => {
    const { visitor, returned } = await returning(stage)
    const stranger = stage.visitor()
    await stranger.start()
    stage.entra.setFaults([{ ...atToken(late(1500)), times: null }])
    const others = Array.from({ length: maxExchanges }, (_, index) =>
      stranger.callback({ code: `slow-${index}` }),
    )
    await expect.poll(redeemed, { interval: 10, timeout: 5000 }).toBe(maxExchanges)
    const refused = await visitor.callback(returned)
    expect(refused.body).toMatchObject({ code: 'too-many-requests', status: 429 })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    await Promise.all(others)
    stage.entra.setFaults([])
    // The refused sign-in can still be completed.
    expect((await visitor.callback(returned)).status).toBe(200)
  })

  it('leave a pending sign-in alone if a stranger’s link reports an error', async () => {
    const { visitor, userName, returned } = await returning(stage)
    const answer = await visitor.callback({ error: 'access_denied' })
    expect(answer.body).toMatchObject({ code: 'sign-in-refused', status: 403 })
    expect(answer.headers.getSetCookie()).toEqual([])
    expect((await visitor.callback(returned)).body).toMatchObject({ user: { username: userName } })
    // The provider's own error, with the state, ends it.
    const state = (await visitor.start()).searchParams.get('state') ?? ''
    await visitor.callback({ error: 'access_denied', state })
    expect(visitor.cookie('transaction')).toBeUndefined()
  })
})

function rangesOf(text: string): readonly Cidr[] {
  const reading = readTrustedProxies(text)
  if ('problems' in reading) throw new Error(JSON.stringify(reading.problems))
  return reading.value
}

describe('the network of a request', () => {
  const proxies = '10.0.0.0/8, 192.0.2.1, 2001:db8:ffff::/48'
  it.each([
    ['198.51.100.7', null, '', '198.51.100.7'],
    ['::ffff:198.51.100.7', null, '', '198.51.100.7'],
    ['2001:db8::1', null, '', '2001:db8::/64'],
    ['fe80::1%eth0', null, '', 'fe80::/64'],
    ['127.0.0.1', null, '', null],
    ['::1', '198.51.100.7', '', null],
    ['::ffff:127.0.0.1', null, '', null],
    ['127.0.0.1', null, proxies, '127.0.0.1'],
    [undefined, '198.51.100.7', proxies, null],
    // Only a trusted proxy is believed.
    ['198.51.100.7', '203.0.113.9', proxies, '198.51.100.7'],
    ['10.1.2.3', '203.0.113.9', proxies, '203.0.113.9'],
    ['10.1.2.3', '1.1.1.1, 203.0.113.9', proxies, '203.0.113.9'],
    ['10.1.2.3', '1.1.1.1, 203.0.113.9, 192.0.2.1, 10.9.9.9', proxies, '203.0.113.9'],
    ['2001:db8:ffff::1', '2001:db8:1:2:3::4', proxies, '2001:db8:1:2::/64'],
    ['10.1.2.3', '203.0.113.9:51234', proxies, '203.0.113.9'],
    ['10.1.2.3', '[2001:db8:1:2::4]:443', proxies, '2001:db8:1:2::/64'],
    // If every hop is trusted, the farthest counts.
    ['10.1.2.3', '10.4.4.4, 10.5.5.5', proxies, '10.4.4.4'],
    // Without a usable header, all visitors would be one network, so none is counted.
    ['10.1.2.3', null, proxies, null],
    ['10.1.2.3', 'unknown', proxies, null],
    ['10.1.2.3', '203.0.113.9, unknown', proxies, null],
    ['10.1.2.3', '203.0.113.9, unknown, 10.9.9.9', proxies, null],
    ['10.1.2.3', `${'1.1.1.1,'.repeat(5000)}203.0.113.9`, proxies, '203.0.113.9'],
    // Twenty hops are read.
    ['10.1.2.3', `203.0.113.9${',10.9.9.9'.repeat(19)}`, proxies, '203.0.113.9'],
    ['10.1.2.3', `203.0.113.9${',10.9.9.9'.repeat(20)}`, proxies, '10.9.9.9'],
  ])('of the peer %s with X-Forwarded-For %s behind %s is %s', (peer, forwarded, trusted, network) => {
    expect(clientNetwork(peer, forwarded, rangesOf(trusted))).toBe(network)
  })

  it.each([
    '10.0.0.0/0',
    '10.0.0.0/33',
    '10.0.0.1/8/8',
    '10.0.0',
    '010.0.0.1',
    '::/129',
    '1:2:3',
    '1::2::3',
    ':::',
    'proxy.local',
    '1:2:3:4:5:6:7:8:9',
  ])('is not read behind proxies named %s', text => {
    expect(readTrustedProxies(text)).toMatchObject({ problems: [{ code: 'not-a-proxy-range', part: text }] })
  })
})

describe('the failure limit', () => {
  it('ends after a minute, and counts each network separately', async () => {
    let time = 0
    const limit = createNetworkLimit(maxFailures, () => time)
    for (let index = 0; index < maxFailures; index += 1) await limit.count('a')
    expect([limit.waitSeconds('a'), limit.waitSeconds('b'), limit.waitSeconds(null)]).toEqual([60, 0, 0])
    time = periodMs - 1
    expect(limit.waitSeconds('a')).toBe(1)
    time = periodMs
    expect(limit.waitSeconds('a')).toBe(0)
    await limit.count('a')
    expect(limit.waitSeconds('a')).toBe(0)
  })

  it('follows the platform’s limit, which all instances share, and works when that fails', async () => {
    let outcome: () => Promise<{ success: boolean }> = async () => ({ success: true })
    const keys: string[] = []
    const limit = createNetworkLimit(maxFailures, () => 0, {
      limit({ key }) {
        keys.push(key)
        return outcome()
      },
    })
    await limit.count('a')
    expect(limit.waitSeconds('a')).toBe(0)
    outcome = () => Promise.reject(new Error('away'))
    await limit.count('a')
    expect(limit.waitSeconds('a')).toBe(0)
    outcome = async () => ({ success: false })
    await limit.count('a')
    expect(limit.waitSeconds('a')).toBe(60)
    expect(keys).toEqual(['a', 'a', 'a'])
  })
})
