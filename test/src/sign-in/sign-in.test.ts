import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClientCertificate } from '../../../sandbox/testing/client-certificate.ts'
import { atToken, late } from '../../../sandbox/testing/entra-faults.ts'
import { sessionCookie } from '../../../src/http/cookies.ts'
import { routes } from '../../../src/routes.ts'
import { maxFailures } from '../../../src/sign-in/sign-in-routes.ts'
import { readAssertion, verifyAssertion } from '../../support/assertion.ts'
import { forgedHeaders, isRefused } from '../../support/forgeries.ts'
import { bytesOf, send } from '../../support/send.ts'
import { sessionState, startInProcess } from '../support/in-process.ts'
import { platformFailures, runtimes, type Stage, startStage, twoHosts } from '../support/stage.ts'

const first = createClientCertificate()
const second = createClientCertificate({ keyOf: first, until: Date.now() + 700 * 86_400_000 })

/** Each runtime has one form of the handler, so that both have a test. */
const forms = {
  node: { env: { ...twoHosts, TRUSTED_PROXIES: '127.0.0.1 ::1' }, base: '/_homeport', host: '127.0.0.1' },
  worker: { env: {}, base: '', host: 'localhost' },
} as const

describe.each(runtimes)('sign-in on %s', runtime => {
  const { env, base, host } = forms[runtime]
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime, {
      ...env,
      CLIENT_CERTIFICATE: first.pem,
      CLIENT_CERTIFICATE_NEXT: second.pem,
      EMAIL_HEADER: 'true',
      CLIENT_SECRET_EXPIRES_ON: new Date(Date.now() + 13 * 86_400_000).toISOString().slice(0, 10),
    })
  })
  afterAll(() => stage?.close())
  beforeEach(() => {
    stage.entra.setFaults([])
    stage.entra.clearRequests()
  })
  /** Hires a person. Returns them, a visitor whom the provider has just sent back, and the parameters of the callback. */
  async function returning() {
    const person = await stage.hire()
    const visitor = stage.visitor()
    return {
      ...person,
      visitor,
      returned: await visitor.visitProvider(await visitor.start(), person.account),
    }
  }
  const upstream = () => stage.entra.requests.filter(({ path }) => /\/(token|me)$/.test(path))

  it('requests only User.Read, with PKCE S256 (ASVS 5.0 10.2.3), and returns the user and a session', async () => {
    const { account, userName, employeeId } = await stage.hire('administrator')
    const visitor = stage.visitor()
    const url = await visitor.start()
    const { instance, tenantId, clientId } = stage.entra.description
    expect(`${url.origin}${url.pathname}`).toBe(`${instance}${tenantId}/oauth2/v2.0/authorize`)
    const { state, code_challenge, ...rest } = Object.fromEntries(url.searchParams)
    expect(state).toMatch(/^[\w-]{22}$/)
    expect(code_challenge).toMatch(/^[\w-]{43}$/)
    expect(rest).toEqual({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: stage.redirectUri,
      response_mode: 'query',
      scope: 'User.Read',
      code_challenge_method: 'S256',
    })
    const answer = await visitor.callback(await visitor.visitProvider(url, account))
    const user = { username: userName, resourceId: employeeId, isAdmin: true }
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ user })])
    expect((await visitor.session()).body).toEqual({ user })
    expect(visitor.cookie('transaction')).toBeUndefined()
    const [token, me, ...others] = upstream()
    expect(others).toEqual([])
    expect(Object.fromEntries(new URLSearchParams(token?.body ?? ''))).toEqual({
      client_id: clientId,
      client_secret: expect.any(String),
      code: expect.any(String),
      code_verifier: expect.any(String),
      grant_type: 'authorization_code',
      scope: 'User.Read',
      redirect_uri: stage.redirectUri,
    })
    // Entra refuses a confidential client that sends an Origin header.
    expect(Object.keys(token?.headers ?? {})).not.toContain('origin')
    expect(me).toMatchObject({ method: 'GET', path: '/v1.0/me', query: '' })
    // Graph lets these through first when it throttles the application.
    expect(me?.headers['x-ms-throttle-priority']).toBe('high')
    expect(stage.output().match(/CLIENT_SECRET expires on .*, in 1[23] days\./g)).toHaveLength(1)
  })

  it.each(['at once', 'later'])(
    'completes a callback that the browser gave up on, so that a repeat %s succeeds',
    async when => {
      const { visitor, userName, returned } = await returning()
      stage.entra.setFaults([atToken(late(400))])
      const cookie = `__Host-homeport-transaction=${visitor.cookie('transaction')}`
      const abandoned = request(`${stage.origin}${base}/api/auth/callback?${returned}`, {
        headers: { cookie },
      })
      const gone = once(abandoned.end(), 'error')
      await expect.poll(() => upstream().length, { interval: 10 }).toBe(1)
      // A reset, since workerd ignores a closed connection until it answers.
      abandoned.socket?.resetAndDestroy()
      await gone
      // The first request completes even if nobody asks again.
      if (when === 'later') await expect.poll(() => upstream().length).toBe(2)
      expect((await visitor.callback(returned)).body).toMatchObject({ user: { username: userName } })
      expect((await visitor.session()).status).toBe(200)
      expect(upstream()).toHaveLength(2)
    },
  )

  it('RFC 9700 4.5, ASVS 5.0 10.2.1: refuses a code injected into another browser’s sign-in, by its verifier', async () => {
    const { returned } = await returning()
    const victim = stage.visitor()
    await victim.start()
    const answer = await victim.callback({ code: returned.get('code') ?? '' })
    expect(answer.body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    expect((await victim.session()).status).toBe(401)
    await expect.poll(() => stage.output()).toMatch(/"providerNumber":501481,"security":true/)
  })

  it('answers a proxy that asks with an assertion, and anybody with the keys', async () => {
    const { account, userName, employeeId, visitor, returned } = await returning()
    await visitor.callback(returned)
    expect((await visitor.call('/api/auth/forward')).headers.has('x-homeport-assertion')).toBe(false)
    const { headers } = await visitor.call('/api/auth/forward?assertion=yes')
    const token = headers.get('x-homeport-assertion') ?? ''
    const answer = await fetch(`${stage.origin}${base}/.well-known/jwks.json`)
    expect(answer.headers.get('cache-control')).toBe('max-age=300')
    expect(verifyAssertion(token, (await answer.json()) as { keys: object[] })).toBe(true)
    const about = { iss: stage.origin + base, aud: stage.origin, sub: employeeId, username: userName }
    expect(readAssertion(token).claims).toMatchObject({ ...about, email: account })
    await visitor.logout()
    const after = await visitor.call('/api/auth/forward?assertion=yes')
    expect([after.status, after.headers.has('x-homeport-assertion')]).toEqual([401, false])
  })

  it('counts the rejected codes of a network, on a Worker with the platform’s limit', async () => {
    const visitor = stage.visitor()
    const state = (await visitor.start()).searchParams.get('state') ?? ''
    /** Counts the codes of a new network that are rejected before it has to wait. */
    async function rejectedFrom(network: string): Promise<number> {
      // From the proxy in front of Node, and the platform in front of a Worker.
      const from = { [runtime === 'node' ? 'x-forwarded-for' : 'cf-connecting-ip']: network }
      for (let count = 0; ; count += 1) {
        const { body } = await visitor.callback({ code: `junk-${network}-${count}`, state }, from)
        if (body['code'] === 'too-many-requests' || count > maxFailures) return count
      }
    }
    // Miniflare's limit starts again with each minute of the clock, and the test must not see that.
    const minuteNow = () => Math.floor(Date.now() / 60_000)
    let rejected = Number.NaN
    let minute = Number.NaN
    for (let host = 1; minute !== minuteNow(); host += 1) {
      minute = minuteNow()
      rejected = await rejectedFrom(`198.51.100.${host}`)
    }
    // The platform refuses the next failure, and the handler the callback after it.
    expect(rejected).toBe(runtime === 'node' ? maxFailures : platformFailures + 1)
  })

  it('lets nobody in, and changes nobody’s identity, by a header of a visitor', async () => {
    const origin = stage.origin.replace('localhost', host)
    const { account, employeeId, userName } = await stage.hire()
    const visitor = stage.visitor(origin)
    await visitor.signIn(account)
    const cookie = `Cookie: ${sessionCookie}=${visitor.cookie('session')}`
    const { host: stated, port } = new URL(origin)
    /** Sends headers as they are. */
    const ask = (path: string, ...headers: readonly string[]) =>
      send(Number(port), bytesOf(`GET ${base}${path}`, stated, headers), { ends: runtime === 'worker' })
    const own = [
      `x-homeport-email: ${account}`,
      'x-homeport-is-admin: 0',
      `x-homeport-resource-id: ${employeeId.toLowerCase()}`,
      `x-homeport-username: ${userName}`,
    ]
    for (const [name, ...headers] of forgedHeaders) {
      for (const path of [routes.session, routes.forward, `${routes.forward}?navigate=redirect`]) {
        const { status, headers: answered } = await ask(path, ...headers)
        expect([400, 401, 403, 421], `${name} ${path}`).toContain(status)
        expect(answered.join('\n'), name).not.toMatch(/^(x-homeport|location|set-cookie)/m)
      }
      const answer = await ask(routes.forward, ...headers, cookie)
      const identity = answer.headers.filter(header => header.startsWith('x-homeport-')).sort()
      // From its trusted proxy, Node believes that a check is for its other host.
      const isOfOther = runtime === 'node' && headers.some(header => header.startsWith('X-Forwarded-Host'))
      const expected = isRefused(headers) ? [403, []] : isOfOther ? [401, []] : [204, own]
      expect([expected, [400, []]], name).toContainEqual([answer.status, identity])
      const open = await ask(`${routes.forward}?path=open`, ...headers)
      expect([isRefused(headers) ? 403 : 204, 400], name).toContain(open.status)
      expect(open.headers.join('\n'), name).not.toMatch(/^(x-homeport|location|set-cookie)/m)
    }
  })

  it('goes on with a certificate once Entra rejects the secret, and with the next one after that', async () => {
    const person = await stage.hire()
    const { clientSecret } = stage.entra.description
    for (const [{ der }, ...tried] of [
      [first, 'client_secret', 'client_assertion'],
      [first, 'client_assertion'],
      [second, 'client_assertion', 'client_assertion'],
      [second, 'client_assertion'],
    ] as const) {
      stage.entra.clearRequests()
      const credentials = { keyCredentials: [{ key: der }], federatedIdentityCredentials: [] }
      const clientSecrets = { live: [], expired: [clientSecret] }
      stage.entra.control.setState({ entra: { credentials, clientSecrets } })
      expect((await stage.visitor().signIn(person.account)).status).toBe(200)
      const sent = upstream().flatMap(
        ({ body }) => /client_(secret|assertion)(?==)/.exec(body ?? '')?.[0] ?? [],
      )
      expect(sent).toEqual(tried)
    }
    for (const taken of [
      'Entra rejects CLIENT_SECRET, and takes CLIENT_CERTIFICATE.',
      'Entra rejects CLIENT_CERTIFICATE, and takes CLIENT_CERTIFICATE_NEXT.',
    ])
      await expect.poll(stage.output).toContain(taken)
  })
})

it('redeems a code without a state, if it is not longer than Entra’s can be', async () => {
  const app = startInProcess()
  for (const [length, expected] of [
    [4096, { user: { username: 'ada' } }],
    [4097, { code: 'code-missing' }],
  ] as const) {
    const { cookie } = await app.start()
    const answer = await app.call(`/api/auth/callback?code=${'b'.repeat(length)}`, cookie)
    expect(await answer.json()).toMatchObject(expected)
  }
})

it.each([
  ['false', { user: { username: 'ada' } }],
  ['true', { code: 'state-required' }],
])('takes a state without a value for none, with REQUIRE_STATE=%s', async (REQUIRE_STATE, expected) => {
  const app = startInProcess({ REQUIRE_STATE })
  const { cookie } = await app.start()
  const answer = await app.call('/api/auth/callback?code=code&state=', cookie)
  expect(await answer.json()).toMatchObject(expected)
})

it('keeps the session that another tab started meanwhile, but not an earlier one', async () => {
  const app = startInProcess()
  const other = await app.start()
  const { session } = await app.signIn()
  app.now += 1
  const later = await app.start()
  for (const [tab, isKept] of [
    [other, true],
    [later, false],
  ] as const) {
    const answer = await app.call(tab.callback, `${tab.cookie}; ${session}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.getSetCookie().some(text => /-session=./.test(text))).toBe(!isKept)
  }
})

it('starts a session anew if the one that another tab started meanwhile has ended', async () => {
  const app = startInProcess()
  const other = await app.start()
  const { session } = await app.signIn()
  app.employees.checkSession = async () => ({ ...sessionState, sessionEnded: true })
  const answer = await app.call(other.callback, `${other.cookie}; ${session}`)
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([
    200,
    expect.arrayContaining([expect.stringMatching(/-session=./)]),
  ])
})
