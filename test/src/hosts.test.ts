import { describe, expect, it } from 'vitest'
import { routes } from '../../src/routes.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import { createSession, readSession } from '../../src/session/session.ts'
import { type Asked, pairOf, startInProcess } from './support/in-process.ts'

const people = 'https://people.example.com/auth/callback'
const reports = 'https://reports.example.com:8443/signed-in'

/** Starts the handler in this process for these redirect URIs. Returns how to ask it. */
function startFor(redirectUris: string, env: Readonly<Record<string, string>> = {}) {
  const app = startInProcess({ REDIRECT_URI: redirectUris, ...env })
  async function ask(
    host: string,
    path: string,
    { cookie = '', ...asked }: Asked & { cookie?: string } = {},
  ) {
    const headers = { host, 'sec-fetch-site': 'same-origin', ...asked.headers }
    const response = await app.call(path, cookie, { origin: `http://${host}`, ...asked, headers })
    const isJson = response.headers.get('content-type')?.includes('json')
    const body = isJson ? ((await response.json()) as Record<string, unknown>) : {}
    return { status: response.status, body, setCookies: response.headers.getSetCookie(), response }
  }
  /** Starts a sign-in on a host. Returns its cookie, its callback, and the redirect URI that the provider gets. */
  async function start(host: string) {
    const { body, setCookies } = await ask(host, routes.loginUrl)
    const { searchParams } = new URL(String(body['url']))
    const callback = `${routes.callback}?code=code&state=${searchParams.get('state')}`
    return { cookie: pairOf(setCookies[0]), callback, redirectUri: searchParams.get('redirect_uri') }
  }
  async function signIn(host: string) {
    const { cookie, callback } = await start(host)
    return pairOf((await ask(host, callback, { cookie })).setCookies[0])
  }
  return { ask, start, signIn, app }
}

const both = ['people.example.com', 'reports.example.com:8443'] as const

describe('with two hosts, the handler', () => {
  const { ask, start, signIn } = startFor(`${people}, ${reports}`)

  it('sends each host its own redirect URI, and serves its page there only', async () => {
    expect((await start(both[0])).redirectUri).toBe(people)
    expect((await start(both[1])).redirectUri).toBe(reports)
    expect((await start('PEOPLE.example.COM')).redirectUri).toBe(people)
    // Without the port as nginx's $host has it, and with the port that the scheme implies.
    expect((await start('reports.example.com')).redirectUri).toBe(reports)
    expect((await start('people.example.com:443')).redirectUri).toBe(people)
    for (const [index, host] of both.entries()) {
      const statuses = await Promise.all(
        ['/auth/callback', '/signed-in'].map(async path => (await ask(host, path)).status),
      )
      expect(statuses).toEqual(index === 0 ? [200, 404] : [404, 200])
    }
  })

  it.each([
    'evil.example',
    'people.example.com:80',
    'people.example.com:8443',
    'reports.example.com:443',
    'people.example.com.',
    'xpeople.example.com',
    'people.example.com, reports.example.com:8443',
    '[::1]:8443',
    '127.0.0.1',
    '',
  ])('refuses the host %j on every route that goes by it', async host => {
    const origin = 'http://people.example.com'
    for (const path of Object.values(routes)) {
      const method = path.includes('logout') ? 'POST' : 'GET'
      const { status, body, setCookies } = await ask(host, path, { method, origin })
      const isOfNone = [routes.health, routes.openapi, routes.publicKeys].some(open => open === path)
      expect([status, body['code']], path).toEqual(isOfNone ? [200, undefined] : [421, 'wrong-host'])
      expect(setCookies).toEqual([])
    }
    const page = await ask(host, '/', { headers: { accept: 'text/html' }, origin })
    expect(page.status).toBe(421)
    expect(await page.response.text()).toContain('This address is not served here')
  })

  it('takes no cookie of one host on the other', async () => {
    const pending = await start(both[0])
    expect((await ask(both[1], pending.callback, { cookie: pending.cookie })).body).toMatchObject({
      code: 'transaction-missing',
    })
    const cookie = await signIn(both[0])
    expect((await ask(both[0], routes.session, { cookie })).status).toBe(200)
    expect((await ask(both[1], routes.session, { cookie })).body).toMatchObject({ code: 'signed-out' })
    expect((await ask(both[1], routes.forward, { cookie })).status).toBe(401)
    // On its own host, this session would answer a callback that has no transaction.
    const abandoned = (await start(both[1])).callback
    expect((await ask(both[1], abandoned, { cookie })).body).toMatchObject({ code: 'transaction-missing' })
    expect((await ask(both[1], '/?return=/x', { cookie })).status).toBe(200)
    expect((await ask(both[0], '/?return=/x', { cookie })).status).toBe(302)
    expect((await ask(both[1], routes.logoutAll, { cookie, method: 'POST' })).body).toMatchObject({
      code: 'signed-out',
    })
  })

  it('checks the visitor’s host for a trusted proxy only', async () => {
    const cookie = await signIn(both[1])
    const forwarded = (host: string, name: string, trusted: boolean | undefined) =>
      ask(host, routes.forward, { cookie, trusted, headers: { 'x-forwarded-host': name } })
    expect((await forwarded(both[0], both[1], true)).status).toBe(204)
    expect((await forwarded(both[1], both[0], true)).status).toBe(401)
    expect((await forwarded(both[1], 'reports.example.com', true)).status).toBe(204)
    expect((await forwarded(both[1], 'people.example.com:443', true)).status).toBe(401)
    expect((await forwarded(both[1], 'evil.example', true)).body).toMatchObject({ code: 'wrong-host' })
    expect((await forwarded(both[1], `${both[1]}, ${both[1]}`, true)).status).toBe(421)
    for (const trusted of [false, undefined]) {
      expect((await forwarded(both[0], both[1], trusted)).status).toBe(401)
      expect((await forwarded(both[1], both[0], trusted)).status).toBe(204)
    }
    expect((await ask(both[1], routes.forward, { cookie, trusted: true })).status).toBe(204)
    // Only the forward route goes by it.
    const session = { cookie, trusted: true, headers: { 'x-forwarded-host': both[1] } }
    expect((await ask(both[0], routes.session, session)).status).toBe(401)
  })

  it('takes a sign-out from a page of the same host only', async () => {
    for (const host of both) {
      const cookie = await signIn(host)
      const post = (origin: string) =>
        ask(host, routes.logout, { cookie, method: 'POST', headers: { origin } })
      for (const other of both.filter(name => name !== host))
        expect((await post(`https://${other}`)).body).toMatchObject({ code: 'cross-site' })
      expect((await post(`https://${host}`)).status).toBe(204)
    }
  })

  it('returns to paths of the request’s host', async () => {
    const login = (host: string, path: string) => ask(host, `${routes.loginUrl}?return=${path}`)
    expect((await login(both[0], '/signed-in')).status).toBe(200)
    expect((await login(both[1], '/signed-in')).body).toMatchObject({ code: 'return-invalid' })
    for (const path of [`https://${both[1]}/x`, `//${both[1]}/x`])
      expect((await login(both[0], path)).body).toMatchObject({ code: 'return-invalid' })
  })
})

describe('a session without a host', () => {
  it('belongs to the first, and one with a host to that', async () => {
    const { ask, app } = startFor(`${people},${reports}`)
    const claims = { username: 'ada', resourceId: 'E1', isAdmin: 0 } as const
    for (const [host, accepted] of [
      [null, both[0]],
      [both[0], both[0]],
      [both[1], both[1]],
    ] as const) {
      const cookie = pairOf((await createSession(app.sessions, claims, { host })).setCookie)
      for (const asked of both)
        expect((await ask(asked, routes.session, { cookie })).status).toBe(asked === accepted ? 200 : 401)
      expect(await readSession(app.sessions, cookie)).not.toBeNull()
    }
  })
})

describe('with one host, the handler', () => {
  it('does not look at the request’s', async () => {
    const { ask, signIn } = startFor(people)
    const cookie = await signIn('anything.example')
    for (const host of ['people.example.com', 'evil.example', '[::1]:1'])
      expect((await ask(host, routes.session, { cookie })).status).toBe(200)
  })

  it('takes no session of another handler that has the same key, and keeps its own if the port changes', async () => {
    const env = { SESSION_KEYS: createSessionKey(new Date()) }
    const cookie = await startFor(people, env).signIn(both[0])
    const statusAt = async (redirectUri: string) =>
      (await startFor(redirectUri, env).ask(both[0], routes.forward, { cookie })).status
    expect(await statusAt(people)).toBe(204)
    expect(await statusAt('https://people.example.com:8443/auth/callback')).toBe(204)
    expect(await statusAt('https://staging.example.com/auth/callback')).toBe(401)
  })
})
