import { describe, expect, it } from 'vitest'
import { routes } from '../../src/routes.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import { createSession, readSession } from '../../src/session/session.ts'
import { type Asked, pairOf, startInProcess } from './support/in-process.ts'

const people = 'https://people.example.com/auth/callback'
const reports = 'https://reports.example.com:8443/signed-in'
const both = ['people.example.com', 'reports.example.com:8443'] as const

/** A request for a host, as one of its pages sends it. */
const on = (host: string, { headers, ...asked }: Asked = {}): Asked => ({
  origin: `http://${host}`,
  headers: { host, 'sec-fetch-site': 'same-origin', ...headers },
  ...asked,
})

/** Starts the handler in this process for these redirect URIs. */
function startFor(redirectUris: string, env: Readonly<Record<string, string>> = {}) {
  const app = startInProcess({ REDIRECT_URI: redirectUris, ...env })
  return {
    app,
    /** Sends a request for a host. Returns the code of the problem, or the status if there is none. */
    async ask(host: string, path: string, cookie = '', asked: Asked = {}) {
      const answer = await app.call(path, cookie, on(host, asked))
      const isProblem = answer.headers.get('content-type') === 'application/problem+json'
      return isProblem ? ((await answer.json()) as { readonly code: string }).code : answer.status
    },
    /** Returns the redirect URI of a sign-in that starts on a host. */
    redirectUriOn: async (host: string) =>
      new URL((await app.start('', '', on(host))).url).searchParams.get('redirect_uri'),
    signIn: async (host: string) => (await app.signIn('code', '', on(host))).session,
  }
}

describe('with two hosts, the handler', () => {
  const { app, ask, redirectUriOn, signIn } = startFor(`${people}, ${reports}`)

  it('sends each host its own redirect URI, and serves its page there only', async () => {
    expect(await redirectUriOn(both[0])).toBe(people)
    expect(await redirectUriOn(both[1])).toBe(reports)
    expect(await redirectUriOn('PEOPLE.example.COM')).toBe(people)
    // Without the port as nginx's $host has it, and with the port that the scheme implies.
    expect(await redirectUriOn('reports.example.com')).toBe(reports)
    expect(await redirectUriOn('people.example.com:443')).toBe(people)
    for (const [host, path, other] of [
      [both[0], '/auth/callback', '/signed-in'],
      [both[1], '/signed-in', '/auth/callback'],
    ] as const)
      expect([await ask(host, path), await ask(host, other)]).toEqual([200, 'not-found'])
  })

  it.each([
    'evil.example',
    'people.example.com:80',
    'reports.example.com:443',
    'people.example.com.',
    'xpeople.example.com',
    'people.example.com, reports.example.com:8443',
    '[::1]:8443',
    '',
  ])('refuses the host %j on every route that goes by it', async host => {
    const origin = 'http://people.example.com'
    for (const path of Object.values(routes)) {
      const method = path.includes('logout') ? 'POST' : 'GET'
      const { status, headers } = await app.call(path, '', on(host, { method, origin }))
      const isOfNone = [routes.health, routes.openapi, routes.publicKeys].some(open => open === path)
      expect([status, headers.getSetCookie()], path).toEqual([isOfNone ? 200 : 421, []])
    }
    const page = await app.call('/', '', on(host, { headers: { accept: 'text/html' }, origin }))
    expect(page.status).toBe(421)
    expect(await page.text()).toContain('This address is not served here')
  })

  it('takes no cookie of one host on the other', async () => {
    const pending = await app.start('', '', on(both[0]))
    expect(await ask(both[1], pending.callback, pending.cookie)).toBe('transaction-missing')
    const cookie = await signIn(both[0])
    expect(await ask(both[0], routes.session, cookie)).toBe(200)
    expect(await ask(both[1], routes.session, cookie)).toBe('signed-out')
    expect(await ask(both[1], routes.forward, cookie)).toBe('signed-out')
    // A target that names one host, and a header that names the other (RFC 9112 §3.2.2).
    expect(await ask(both[0], routes.session, cookie, { origin: `http://${both[1]}` })).toBe('wrong-host')
    // On its own host, this session would answer a callback that has no transaction.
    const abandoned = (await app.start('', '', on(both[1]))).callback
    expect(await ask(both[1], abandoned, cookie)).toBe('transaction-missing')
    expect(await ask(both[1], '/?return=/x', cookie)).toBe(200)
    expect(await ask(both[0], '/?return=/x', cookie)).toBe(302)
    expect(await ask(both[1], routes.logoutAll, cookie, { method: 'POST' })).toBe('signed-out')
  })

  it('checks the visitor’s host for a trusted proxy only', async () => {
    const cookie = await signIn(both[1])
    const forwarded = (
      host: string,
      name: string,
      trusted: boolean | undefined,
      path: string = routes.forward,
    ) => ask(host, path, cookie, { trusted, headers: { 'x-forwarded-host': name } })
    expect(await forwarded(both[0], both[1], true)).toBe(204)
    expect(await forwarded(both[1], both[0], true)).toBe('signed-out')
    expect(await forwarded(both[1], 'reports.example.com', true)).toBe(204)
    expect(await forwarded(both[1], 'people.example.com:443', true)).toBe('signed-out')
    for (const name of ['evil.example', `${both[1]}, ${both[1]}`])
      expect(await forwarded(both[1], name, true)).toBe('wrong-host')
    // A Worker has no trusted proxy.
    for (const trusted of [false, undefined]) {
      expect(await forwarded(both[0], both[1], trusted)).toBe('signed-out')
      expect(await forwarded(both[1], both[0], trusted)).toBe(204)
    }
    expect(await ask(both[1], routes.forward, cookie, { trusted: true })).toBe(204)
    // Only the forward route goes by it.
    expect(await forwarded(both[0], both[1], true, routes.session)).toBe('signed-out')
  })

  it('takes a sign-out from a page of the same host only', async () => {
    for (const [host, other] of [both, both.toReversed()] as [string, string][]) {
      const cookie = await signIn(host)
      const post = (from: string) =>
        ask(host, routes.logout, cookie, { method: 'POST', headers: { origin: `https://${from}` } })
      expect(await post(other)).toBe('cross-site')
      expect(await post(host)).toBe(204)
    }
  })

  it('returns to paths of the request’s host', async () => {
    const login = (host: string, path: string) => ask(host, `${routes.loginUrl}?return=${path}`)
    expect(await login(both[0], '/signed-in')).toBe(200)
    expect(await login(both[1], '/signed-in')).toBe('return-invalid')
    for (const path of [`https://${both[1]}/x`, `//${both[1]}/x`])
      expect(await login(both[0], path)).toBe('return-invalid')
  })

  it('takes a session without a host for one of the first', async () => {
    const claims = { username: 'ada', resourceId: 'E1', isAdmin: 0 } as const
    for (const [host, accepted] of [
      [null, both[0]],
      [both[0], both[0]],
      [both[1], both[1]],
    ] as const) {
      const cookie = pairOf((await createSession(app.sessions, claims, { host })).setCookie)
      for (const asked of both)
        expect(await ask(asked, routes.session, cookie)).toBe(asked === accepted ? 200 : 'signed-out')
      expect(await readSession(app.sessions, cookie)).not.toBeNull()
    }
  })
})

describe('with one host, the handler', () => {
  it('does not look at the request’s', async () => {
    const { ask, signIn } = startFor(people)
    const cookie = await signIn('anything.example')
    for (const host of ['people.example.com', 'evil.example', '[::1]:1'])
      expect(await ask(host, routes.session, cookie)).toBe(200)
  })

  it('takes no session of another handler that has the same key, and keeps its own if the port changes', async () => {
    const env = { SESSION_KEYS: createSessionKey(new Date()) }
    const cookie = await startFor(people, env).signIn(both[0])
    const askAt = (redirectUri: string) => startFor(redirectUri, env).ask(both[0], routes.forward, cookie)
    expect(await askAt(people)).toBe(204)
    expect(await askAt('https://people.example.com:8443/auth/callback')).toBe(204)
    expect(await askAt('https://staging.example.com/auth/callback')).toBe('signed-out')
  })
})
