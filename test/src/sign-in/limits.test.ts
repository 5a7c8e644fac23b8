import { describe, expect, it } from 'vitest'
import type { Cidr } from '../../../lib/ip-address.ts'
import { clientNetwork } from '../../../src/http/client-network.ts'
import { nodeTable } from '../../../src/node/settings.ts'
import { maxExchanges } from '../../../src/sign-in/exchange-limit.ts'
import { maxFailures } from '../../../src/sign-in/sign-in-routes.ts'
import type { Transport } from '../../../src/sign-in/transport.ts'
import { jsonResponse, providerOf, startInProcess } from '../support/in-process.ts'

const network = '198.51.100.7'
/** A provider that takes one code. */
const realOnly: Transport = async (...asked) =>
  (asked[1].body?.get('code') ?? 'code') === 'code'
    ? providerOf()(...asked)
    : jsonResponse(400, { error: 'invalid_grant' })

// `test/lib/network-limit.test.ts` has the minute and the networks, `test/push/limiter.test.ts` the platform's limit.
describe('the limits of sign-ins', () => {
  /** Starts a handler. Returns how to send junk codes of a sign-in that was started, and the requests for a token. */
  async function startLimited(transport: Transport = realOnly) {
    const app = startInProcess({}, {}, transport)
    const { cookie, callback } = await app.start()
    async function sendJunk(count: number) {
      const codes: unknown[] = []
      for (let index = 0; index < count; index += 1) {
        const junk = callback.replace('code=code', `code=junk-${app.redeemed.length}`)
        const answer = await app.call(junk, cookie, { network })
        codes.push(((await answer.json()) as { readonly code?: string }).code)
      }
      return codes
    }
    async function signIn() {
      const { cookie, callback } = await app.start()
      return (await app.call(callback, cookie, { network })).status
    }
    return { app, cookie, callback, sendJunk, signIn }
  }
  const rejected = new Array<string>(maxFailures).fill('sign-in-expired')

  it('stop a network after 30 rejected codes a minute, before it reaches the provider', async () => {
    const { app, cookie, callback, sendJunk } = await startLimited()
    expect(await sendJunk(maxFailures + 1)).toEqual([...rejected, 'too-many-requests'])
    expect(app.redeemed).toHaveLength(maxFailures)
    const refused = await app.call(callback, cookie, { network })
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([429, []])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect((await app.call(callback, cookie, { network: '198.51.100.8' })).status).toBe(200)
  })

  it('count no sign-in with a real code, so an office behind one address is not stopped', async () => {
    const { app, sendJunk, signIn } = await startLimited()
    expect(await sendJunk(maxFailures - 1)).toEqual(rejected.slice(1))
    for (const status of [200, 200]) expect(await signIn()).toBe(status)
    app.employees.findByName = async () => []
    for (const status of [401, 401]) expect(await signIn()).toBe(status)
    expect(await sendJunk(2)).toEqual(['sign-in-expired', 'too-many-requests'])
  })

  it.each([
    ['outages', 503, {}],
    ['errors of the provider', 400, { error: 'server_error' }],
    ['an expired secret', 401, { error: 'invalid_client', error_description: 'AADSTS7000222: x' }],
    ['a locked account', 400, { error: 'invalid_grant', error_description: 'AADSTS50053: x' }],
  ])('count no %s', async (_, status, fields) => {
    const { app, sendJunk } = await startLimited(async () => jsonResponse(status, fields))
    expect(await sendJunk(maxFailures + 2)).not.toContain('too-many-requests')
    expect(app.redeemed).toHaveLength(maxFailures + 2)
  })

  it('count no callback that never reaches the provider, and no copy of one that did', async () => {
    const { app, cookie, callback, signIn } = await startLimited()
    const send = (query: string, cookies: string) =>
      app.call(`/api/auth/callback?${query}`, cookies, { network })
    for (let index = 0; index < maxFailures / 2; index += 1) {
      for (const query of ['code=junk', '', 'error=access_denied', 'error=invalid_grant'])
        await send(query, '')
      for (const query of ['error=access_denied', 'error=invalid_grant', 'code=junk&state=other'])
        await send(query, cookie)
    }
    expect(app.redeemed).toEqual([])
    for (let index = 0; index <= maxFailures; index += 1)
      await app.call(callback.replace('code=code', 'code=copy'), cookie, { network })
    expect(app.redeemed).toEqual(['copy'])
    expect(await signIn()).toBe(200)
  })

  it('allow 32 exchanges with the provider at a time', async () => {
    const opened = Promise.withResolvers<void>()
    const slow: Transport = async (...request) => {
      await opened.promise
      return realOnly(...request)
    }
    const { app, cookie, callback } = await startLimited(slow)
    const others = Array.from({ length: maxExchanges }, (_, index) =>
      app.call(callback.replace('code=code', `code=slow-${index}`), cookie),
    )
    await expect.poll(() => app.redeemed, { interval: 1 }).toHaveLength(maxExchanges)
    const refused = await app.call(callback, cookie)
    expect(await refused.json()).toMatchObject({ code: 'too-many-requests', status: 429 })
    expect(refused.headers.get('retry-after')).toBe('2')
    opened.resolve()
    await Promise.all(others)
    // The refused sign-in can still be completed.
    expect((await app.call(callback, cookie)).status).toBe(200)
  })

  it('leave a pending sign-in alone if a stranger’s link reports an error', async () => {
    const { app, cookie, callback } = await startLimited()
    const answer = await app.call('/api/auth/callback?error=access_denied', cookie)
    expect(await answer.json()).toMatchObject({ code: 'sign-in-refused', status: 403 })
    expect(answer.headers.getSetCookie()).toEqual([])
    // The provider's own error, with the state, ends it.
    const own = await app.call(callback.replace('code=code', 'error=access_denied'), cookie)
    expect(own.headers.getSetCookie()[0]).toMatch(/^__Host-homeport-transaction=;/)
  })
})

function rangesOf(text: string): readonly Cidr[] {
  const reading = nodeTable.TRUSTED_PROXIES.read(text)
  if ('problems' in reading) throw new Error(JSON.stringify(reading.problems))
  return reading.value
}

describe('the network of a request', () => {
  const proxies = '10.0.0.0/8, 192.0.2.1, 2001:db8:ffff::/48'
  it.each([
    ['198.51.100.7', null, '', '198.51.100.7'],
    ['2001:db8::1', null, '', '2001:db8::/64'],
    ['127.0.0.1', null, '', null],
    ['::1', null, '', null],
    [undefined, '198.51.100.7', proxies, null],
    // Only a trusted proxy is believed.
    ['198.51.100.7', '203.0.113.9', proxies, '198.51.100.7'],
    ['10.1.2.3', '1.1.1.1, 203.0.113.9, 192.0.2.1, 10.9.9.9', proxies, '203.0.113.9'],
    ['2001:db8:ffff::1', '2001:db8:1:2:3::4', proxies, '2001:db8:1:2::/64'],
    ['::ffff:10.1.2.3', '::ffff:203.0.113.9', proxies, '203.0.113.9'],
    ['10.1.2.3', '203.0.113.9:51234', proxies, '203.0.113.9'],
    ['10.1.2.3', '[2001:db8:1:2::4]:443', proxies, '2001:db8:1:2::/64'],
    // If every hop is trusted, the farthest counts.
    ['10.1.2.3', '10.4.4.4, 10.5.5.5', proxies, '10.4.4.4'],
    // Without a usable header, all visitors would be one network, so none is counted.
    ['10.1.2.3', null, proxies, null],
    ['10.1.2.3', '203.0.113.9, unknown', proxies, null],
    // Twenty hops are read.
    ['10.1.2.3', `203.0.113.9${',10.9.9.9'.repeat(19)}`, proxies, '203.0.113.9'],
    ['10.1.2.3', `203.0.113.9${',10.9.9.9'.repeat(20)}`, proxies, '10.9.9.9'],
  ])('of the peer %s with X-Forwarded-For %s behind %s is %s', (peer, forwarded, trusted, network) => {
    expect(clientNetwork(peer, forwarded, rangesOf(trusted))).toBe(network)
  })
})
