import { expect, it } from 'vitest'
import { routes } from '../../src/routes.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import { jsonResponse, providerOf, startInProcess } from './support/in-process.ts'

/** Starts a handler whose provider redeems each code once, when it may. Returns how to ask it with any headers. */
function start(env: Readonly<Record<string, string>> = {}, mayAnswer = Promise.resolve()) {
  const app = startInProcess(env, {}, async (url, request, limitMs) => {
    const uses = app.redeemed.filter(code => code === request.body?.get('code')).length
    await mayAnswer
    if (uses > 1) return jsonResponse(400, { error: 'invalid_grant' })
    return providerOf()(url, request, limitMs)
  })
  async function ask(path: string, cookie: string, headers = {}, method = 'GET') {
    const answer = await app.call(path, cookie, { method, headers })
    const { code } =
      answer.status < 300 || method === 'HEAD' ? {} : ((await answer.json()) as { code?: string })
    return { status: answer.status, code, setCookies: answer.headers.getSetCookie() }
  }
  return { app, ask, redeemed: app.redeemed }
}

it('RFC 9700 4.7, ASVS 5.0 10.1.2: redeems no code with which another browser comes back', async () => {
  const { app, ask, redeemed } = start()
  const [attacker, victim] = [await app.start(), await app.start()]
  const missing = { status: 400, code: 'transaction-missing', setCookies: [] }
  expect(await ask(attacker.callback, '')).toEqual(missing)
  const mismatch = { status: 400, code: 'state-mismatch', setCookies: [] }
  expect(await ask(attacker.callback, victim.cookie)).toEqual(mismatch)
  const strict = start({ REQUIRE_STATE: 'true' })
  const own = await strict.app.start()
  const required = { status: 400, code: 'state-required', setCookies: [] }
  expect(await strict.ask(`${routes.callback}?code=injected`, own.cookie)).toEqual(required)
  expect([redeemed, strict.redeemed]).toEqual([[], []])
})

it('RFC 9700 4.5, RFC 6749 4.1.2: gives the result of a code to no other browser, and to none twice', async () => {
  const gate = Promise.withResolvers<void>()
  const env = { SESSION_KEYS: createSessionKey(new Date()) }
  const { app, ask, redeemed } = start(env, gate.promise)
  const [victim, thief] = [await app.start(), await app.start()]
  const redeeming = ask(victim.callback, victim.cookie)
  await expect.poll(() => redeemed).toHaveLength(1)
  const repeated = ask(victim.callback, victim.cookie)
  const raced = ask(`${routes.callback}?code=code`, thief.cookie)
  await expect.poll(() => redeemed).toHaveLength(2)
  gate.resolve()
  expect([(await redeeming).status, (await repeated).status]).toEqual([200, 200])
  const expired = { status: 401, code: 'sign-in-expired', setCookies: [] }
  expect(await raced).toEqual(expired)
  expect(await ask(thief.callback, thief.cookie)).toEqual(expired)
  // The same cookie and state, again within ten seconds, and later.
  app.now += 9000
  expect((await ask(victim.callback, victim.cookie)).status).toBe(200)
  app.now += 60_000
  expect(await ask(victim.callback, victim.cookie)).toEqual(expired)
})

it('RFC 9700 4.11, ASVS 5.0 3.7.2: lets no parameter or header change what is asked of the provider', async () => {
  const app = startInProcess()
  const host = 'evil.test'
  const headers = { host, forwarded: `host=${host}`, 'x-forwarded-host': host, referer: `https://${host}/` }
  const query = `?redirect_uri=https://${host}/&redirectUri=https://${host}/&scope=Directory.Read.All&tenant=common`
  const answer = await app.call(routes.loginUrl + query, '', { headers })
  const { url } = (await answer.json()) as { readonly url: string }
  const withoutRandom = (text: string) => text.replaceAll(/(state|code_challenge)=[\w-]+/g, '$1')
  expect(withoutRandom(url)).toBe(withoutRandom((await app.start()).url))
})

const crossSite = { status: 403, code: 'cross-site', setCookies: [] }

it('ASVS 5.0 3.5.3: refuses cross-site requests and prefetches, and redeems nothing', async () => {
  const { app, ask, redeemed } = start()
  const { cookie, callback } = await app.start()
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
  ])
    for (const path of [callback, routes.loginUrl, routes.session])
      expect(await ask(path, cookie, headers), path).toEqual(crossSite)
  expect(redeemed).toEqual([])
  expect((await ask(callback, cookie, { 'sec-fetch-site': 'none' })).status).toBe(200)
})

it('refuses HEAD where GET does something, and redeems nothing', async () => {
  const { app, redeemed } = start()
  const { cookie, callback } = await app.start()
  for (const path of [callback, routes.loginUrl, routes.session, routes.authSession, routes.forward]) {
    const answer = await app.call(path, cookie, { method: 'HEAD' })
    expect([answer.status, answer.headers.get('allow')], path).toEqual([405, 'GET'])
  }
  expect((await app.call(routes.logout, cookie, { method: 'HEAD' })).status).toBe(404)
  expect((await app.call(routes.health, '', { method: 'HEAD' })).status).toBe(200)
  expect(redeemed).toEqual([])
  expect(app.logged.filter(({ level }) => level !== 'info')).toEqual([])
})

it('ASVS 5.0 3.5.1: signs out only for a page of this origin', async () => {
  const { app, ask } = start()
  const { session } = await app.signIn()
  const own = 'https://people.example.com'
  const other = 'https://evil.test'
  for (const path of [routes.logout, routes.logoutAll]) {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: other },
      { 'sec-fetch-site': 'same-site', origin: own },
      { 'sec-fetch-site': 'none' },
      { origin: other },
      { 'sec-fetch-site': 'same-origin', origin: other },
      { 'sec-fetch-site': 'cross-site', origin: 'null' },
      { origin: 'null' },
      {},
    ])
      expect(await ask(path, session, headers, 'POST')).toEqual(crossSite)
    expect((await ask(path, session)).code).toBe('not-found')
  }
})

it.each([
  { origin: 'https://people.example.com' },
  { 'sec-fetch-site': 'same-origin' },
  // A form of an application whose Referrer-Policy is no-referrer (Fetch, "append a request Origin header").
  { 'sec-fetch-site': 'same-origin', origin: 'null' },
])('signs out for a page of this origin with %j', async headers => {
  const { app, ask } = start()
  const { session } = await app.signIn()
  for (const path of [routes.logout, routes.logoutAll])
    expect((await ask(path, session, headers, 'POST')).status).toBe(204)
})

it('refuses repeated parameters', async () => {
  const { app, ask, redeemed } = start()
  const { cookie, callback } = await app.start()
  for (const [query, code] of [
    ['&code=x', 'code-missing'],
    ['&state=x', 'state-mismatch'],
    ['&iss=x&iss=y', 'code-missing'],
    ['&error=x&error=y', 'code-missing'],
  ])
    expect(await ask(callback + query, cookie)).toEqual({ status: 400, code, setCookies: [] })
  expect(await ask(routes.callback, cookie)).toMatchObject({ code: 'code-missing' })
  expect(redeemed).toEqual([])
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
