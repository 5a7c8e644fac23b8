import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { atToken, ignoreVerifier, late } from '../../sandbox/testing/entra-faults.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import type { Visitor } from '../support/visitor.ts'
import { startInProcess } from './support/in-process.ts'
import { returning } from './support/returning.ts'
import { type Stage, startStage } from './support/stage.ts'

/** Headers with which browsers announce that they fetch a page before anybody asks for it. */
const prefetches = [
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { purpose: 'prefetch' },
]

// Where the runtimes can differ, `forgeries.test.ts` runs on both.
describe('attacks', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage('node', { variants: { strict: { REQUIRE_STATE: 'true' } } })
  })
  afterAll(() => stage?.close())
  beforeEach(() => {
    stage.entra.setFaults([])
    stage.entra.clearRequests()
  })

  const tokenRequests = () => stage.entra.requests.filter(({ path }) => path.endsWith('/token')).length
  async function expectNoSession(visitor: Visitor) {
    expect(visitor.cookie('session')).toBeUndefined()
    expect((await visitor.session()).status).toBe(401)
  }

  it('RFC 9700 4.7, ASVS 5.0 10.1.2: does not redeem a code unless this browser started a sign-in', async () => {
    const { returned } = await returning(stage)
    const victim = stage.visitor()
    const answer = await victim.callback(returned)
    expect(answer.body).toMatchObject({ code: 'transaction-missing', status: 400 })
    expect(tokenRequests()).toBe(0)
    await expectNoSession(victim)
  })

  it('RFC 9700 4.5, ASVS 5.0 10.2.1: refuses a code injected into another browser’s sign-in, by its verifier', async () => {
    const { returned } = await returning(stage)
    const victim = stage.visitor()
    await victim.start()
    const answer = await victim.callback({ code: returned.get('code') ?? '' })
    expect(answer.body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    await expectNoSession(victim)
    await expect.poll(() => stage.output()).toMatch(/"providerNumber":501481,"security":true/)
  })

  it('RFC 9700 4.7: refuses the attacker’s state with the attacker’s code', async () => {
    const { returned } = await returning(stage)
    const victim = stage.visitor()
    await victim.start()
    expect((await victim.callback(returned)).body).toMatchObject({ code: 'state-mismatch', status: 400 })
    expect(tokenRequests()).toBe(0)
    await expectNoSession(victim)
  })

  it('refuses an injected code by its state, even if the provider ignores verifiers and REQUIRE_STATE is set', async () => {
    async function inject(variant: string) {
      const { userName, returned } = await returning(stage, { variant })
      const victim = stage.visitor(variant)
      await victim.start()
      stage.entra.setFaults([ignoreVerifier])
      return { userName, body: (await victim.callback({ code: returned.get('code') ?? '' })).body }
    }
    const { userName, body } = await inject('main')
    expect(body).toMatchObject({ user: { username: userName } })
    expect(await inject('strict')).toMatchObject({ body: { code: 'state-required', status: 400 } })
  })

  it('RFC 6749 4.1.2: starts no second session for a replayed callback', async () => {
    const { visitor, returned } = await returning(stage)
    const thief = stage.copyOf(visitor, 'strict')
    expect((await visitor.callback(returned)).status).toBe(200)
    const late = await thief.callback(returned)
    expect(late.body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    expect(late.headers.getSetCookie()).toEqual([])
    await expectNoSession(thief)
    expect((await visitor.session()).status).toBe(200)
    const later = stage.visitor()
    expect((await later.callback(returned)).body).toMatchObject({ code: 'transaction-missing' })
  })

  it('RFC 9700 4.5: refuses a redeemed code in another browser with a sign-in of its own', async () => {
    const { visitor: victim, userName, returned } = await returning(stage)
    const [thief, racer] = [stage.visitor(), stage.visitor()]
    const code = returned.get('code') ?? ''
    const state = (await thief.start()).searchParams.get('state') ?? ''
    await racer.start()
    stage.entra.setFaults([atToken(late(300))])
    const redeeming = victim.callback(returned)
    await expect.poll(tokenRequests, { interval: 10 }).toBe(1)
    const raced = await racer.callback({ code })
    expect((await redeeming).body).toMatchObject({ user: { username: userName } })
    expect(raced.body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    for (const parameters of [{ code }, { code, state }])
      expect((await thief.callback(parameters)).body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    for (const visitor of [racer, thief]) await expectNoSession(visitor)
  })

  it('ASVS 5.0 7.2.4: replaces a session that an attacker planted before sign-in', async () => {
    const [mallory, victim] = [await stage.hire(), await stage.hire()]
    const attacker = stage.visitor()
    await attacker.signIn(mallory.account)
    const browser = stage.copyOf(attacker)
    const answer = await browser.signIn(victim.account)
    expect(answer.body).toMatchObject({ user: { username: victim.userName } })
    expect(browser.cookie('session')).not.toBe(attacker.cookie('session'))
    expect((await attacker.session()).status).toBe(401)
  })

  it('RFC 9700 4.11, ASVS 5.0 3.7.2: lets no parameter or header change the redirect URI', async () => {
    const visitor = stage.visitor()
    const headers = {
      host: 'evil.test',
      forwarded: 'host=evil.test;proto=https',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'https',
      origin: 'https://evil.test',
      referer: 'https://evil.test/',
    }
    const query =
      '?redirect_uri=https://evil.test/&redirectUri=https://evil.test/&scope=Directory.Read.All&tenant=common'
    const answer = await visitor.call(`/api/auth/login-url${query}`, headers)
    const url = new URL(String(answer.body['url']))
    expect(url.searchParams.get('redirect_uri')).toBe(stage.redirectUri)
    expect(url.searchParams.get('scope')).toBe('User.Read')
    expect(answer.text).not.toContain('evil')
  })

  it('ASVS 5.0 3.5.3: refuses cross-site requests and prefetches, and redeems nothing', async () => {
    const { visitor, returned } = await returning(stage)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      ...prefetches,
    ]) {
      expect((await visitor.callback(returned, headers)).body).toMatchObject({
        code: 'cross-site',
        status: 403,
      })
      expect((await visitor.call('/api/auth/login-url', headers)).status).toBe(403)
      expect((await visitor.call('/api/session', headers)).status).toBe(403)
    }
    expect(tokenRequests()).toBe(0)
    const head = await visitor.request(`/api/auth/callback?${returned}`, { method: 'HEAD' })
    expect(head.status).toBe(404)
    expect(tokenRequests()).toBe(0)
    expect((await visitor.callback(returned, { 'sec-fetch-site': 'none' })).status).toBe(200)
  })

  it('ASVS 5.0 3.5.1: signs out only for a page of this origin', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    await visitor.signIn(account)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.test' },
      { origin: 'null' },
      {},
    ]) {
      expect((await visitor.logout(headers)).body).toMatchObject({ code: 'cross-site', status: 403 })
    }
    expect((await visitor.call('/api/auth/logout')).body).toMatchObject({ code: 'not-found' })
    expect((await visitor.session()).status).toBe(200)
    expect((await visitor.logout({ origin: stage.origin })).status).toBe(204)
  })

  it('RFC 9700 4.2, ASVS 5.0 10.1.1: sends no token, code or secret to the browser', async () => {
    const { visitor, url, returned } = await returning(stage)
    const answer = await visitor.callback(returned)
    const seen = `${answer.text}${JSON.stringify([...answer.headers])}${url.href}`
    expect(seen).not.toContain(returned.get('code'))
    expect(seen).not.toContain(encodeURIComponent(stage.entra.description.clientSecret))
    expect(answer.text).not.toMatch(/token|eyJ/i)
  })

  it('refuses repeated parameters', async () => {
    const { visitor, returned } = await returning(stage)
    for (const [name, code] of [
      ['code', 'code-missing'],
      ['state', 'state-mismatch'],
      ['iss', 'code-missing'],
    ] as const) {
      const twice = new URLSearchParams(returned)
      twice.append(name, 'x')
      twice.append(name, 'y')
      expect((await visitor.callback(twice)).body).toMatchObject({ code, status: 400 })
    }
    expect((await visitor.callback({})).body).toMatchObject({ code: 'code-missing', status: 400 })
    expect(tokenRequests()).toBe(0)
  })
})

it('ignores a transaction from other settings', async () => {
  const env = { SESSION_KEYS: createSessionKey(new Date()) }
  const { cookie, callback } = await startInProcess(env).start()
  for (const other of [
    { INSTANCE: 'https://login.example.com/', GRAPH_URL: 'https://graph.example.com/' },
    { TENANT_ID: 'another' },
    { CLIENT_ID: 'another' },
    { REDIRECT_URI: 'https://people.example.com/another' },
  ]) {
    const answer = await startInProcess({ ...env, ...other }).call(callback, cookie)
    expect(await answer.json(), JSON.stringify(other)).toMatchObject({ code: 'transaction-missing' })
  }
  expect((await startInProcess(env).call(callback, cookie)).status).toBe(200)
})
