import { describe, expect, it } from 'vitest'
import { createSession, readSession, type Session, sealSession } from '../../../src/session/session.ts'
import { maxFailures, maxRejectedRounds } from '../../../src/sign-in/sign-in-routes.ts'
import { runs, seed } from '../../support/random.ts'
import { Sequence } from '../../support/sequence.ts'
import {
  candidate,
  type InProcess,
  jsonResponse,
  pairOf,
  providerOf,
  sessionState,
  startInProcess,
} from '../support/in-process.ts'

const minute = 60_000
const hour = 60 * minute
const page = {
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'same-origin',
}
const proxied = { 'x-forwarded-uri': '/timesheets/?week=47' }
const env = { AUTO_SIGN_IN: 'true', SESSION_RECHECK: '1h', REQUIRE_STATE: 'true' }

/** A person who signed in, at a handler that others use if it is given, and what their browser then does. */
async function signedIn(settings: Record<string, string> = {}, shared?: InProcess) {
  const ended: string[] = []
  const app =
    shared ?? startInProcess({ ...env, ...settings }, { endSession: async id => void ended.push(id) })
  let { session: cookie } = await app.signIn()

  const ask = (path: string, headers: Record<string, string> = {}) =>
    app.call(path, cookie, { headers, trusted: true })
  /** Opens a page of the application: the answer that the proxy gets, as its status and where it leads. */
  async function open(headers: Record<string, string> = {}) {
    const checked = await ask('/api/auth/forward?navigate=redirect', { ...page, ...proxied, ...headers })
    return [checked.status, checked.headers.get('location')]
  }
  function adopt(answer: Response) {
    const renewed = answer.headers.getSetCookie().find(text => text.startsWith('__Host-homeport-session='))
    if (renewed) cookie = pairOf(renewed)
  }
  /** Begins a round: Entra's URL, and how its answer comes back. */
  async function begin() {
    const login = await ask('/api/auth/login-url?prompt=none&return=/timesheets/')
    const { url } = (await login.json()) as { url?: string }
    if (url === undefined) return null
    const state = new URL(url).searchParams.get('state') ?? ''
    const transaction = pairOf(login.headers.getSetCookie()[0])
    adopt(login)
    async function answer(parameters: Record<string, string>, network = '') {
      const sent = new URLSearchParams('anonymous' in parameters ? parameters : { state, ...parameters })
      const called = await app.call(`/api/auth/callback?${sent}`, `${cookie}; ${transaction}`, { network })
      adopt(called)
      return { status: called.status, body: (await called.json()) as { code?: string; return?: string } }
    }
    return { url: new URL(url), answer }
  }
  /** Asks Entra without a word. Returns its URL, and what the callback answers to these parameters. */
  async function recheck(parameters: Record<string, string> = { code: 'another' }, network = '') {
    const round = await begin()
    if (round === null) return { url: null, status: 200, body: {} }
    return { url: round.url, ...(await round.answer(parameters, network)) }
  }
  const session = () => readSession(app.sessions, cookie)
  return { app, ended, ask, open, begin, recheck, session, cookies: () => cookie }
}

/** Who leaves at a random time: more than a hundred in the stage `long` of .ci/run. */
const leavers = Math.min(runs(13), 400)

const toSignIn = [302, '/?return=/timesheets/?week=47']

describe('a session whose account Entra confirms again', () => {
  it('goes on with one redirect an hour, and keeps its id, its end and its employee', async () => {
    const { app, open, recheck, session } = await signedIn()
    const before = await session()
    for (let round = 1; round <= 6; round += 1) {
      app.now += hour
      expect(await open()).toEqual([204, null])
      app.now += 1
      expect(await open()).toEqual(toSignIn)
      const { url, status, body } = await recheck()
      expect(url?.searchParams.get('prompt')).toBe('none')
      expect(url?.searchParams.get('login_hint')).toBe('ada@example.com')
      expect([status, body]).toMatchObject([200, { user: { username: 'ada' }, return: '/timesheets/' }])
      expect(await session()).toEqual({ ...before, provedAt: app.now })
      expect(await open()).toEqual([204, null])
    }
    app.now += 2 * hour
    expect(await session()).toBeNull()
  })

  it('is not checked by a form, a script, a frame or a prefetch until twice the time, and then none passes', async () => {
    const { app, open, ask } = await signedIn()
    const others: Record<string, string>[] = [
      { 'x-forwarded-method': 'POST' },
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-dest': 'iframe' },
      { 'sec-purpose': 'prefetch' },
    ]
    app.now += 2 * hour
    for (const headers of others) expect(await open(headers), JSON.stringify(headers)).toEqual([204, null])
    expect((await ask('/api/session')).status).toBe(200)
    app.now += 1
    for (const headers of others.slice(1))
      expect(await open(headers), JSON.stringify(headers)).toEqual([401, null])
    expect(await open({ 'x-forwarded-method': 'POST', referer: 'https://people.example.com/form' })).toEqual([
      303,
      '/?form&return=/form',
    ])
    const refused = await ask('/api/session')
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([401, []])
  })

  it('has the sign-in page ask by the same rule, so that nobody is sent round', async () => {
    const { app, ask, recheck } = await signedIn()
    const opened = async () => {
      const answer = await ask('/?return=/timesheets/', page)
      return answer.status === 302
        ? 'goes on'
        : (await answer.text()).includes('id="recheck"')
          ? 'asks'
          : 'waits'
    }
    expect(await opened()).toBe('goes on')
    for (const ms of [hour + 1, hour]) {
      app.now += ms
      expect(await opened()).toBe('asks')
    }
    await recheck()
    expect(await opened()).toBe('goes on')
    // Another tab that asks for it now has nothing to ask.
    expect((await recheck()).url).toBeNull()
    // Entra cannot give back a session that was ended.
    app.employees.checkSession = async () => ({ ...sessionState, sessionEnded: true })
    expect(await opened()).toBe('waits')
  })

  it.each([
    ['an encoded backslash', '/app/%5Cpath', true],
    ['unknown, as on a Worker', '/app', false],
  ])('asks for a page whose path cannot be returned to: %s', async (_, uri, trusted) => {
    const { app, ask, recheck, cookies } = await signedIn({ BASE_PATH: '/in' })
    app.now += hour + 1
    const headers = { ...page, 'x-forwarded-uri': uri }
    const open = () =>
      app.call('/api/auth/forward?navigate=redirect', cookies(), { headers, trusted: trusted || undefined })
    const location = (await open()).headers.get('location')
    expect(location).toBe('/in/?return=')
    const sent = await (await ask('/?return=', page)).text()
    expect(sent).toContain('id="recheck"')
    expect(sent).toContain('>Open your page again')
    expect(await recheck()).toMatchObject({ status: 200 })
    expect((await open()).status).toBe(204)
    const again = await (await ask('/?return=', page)).text()
    expect(again).toContain('>Open your page again')
    expect(again).toContain('id="go-on"')
  })

  it('asks nothing at the sign-in page that nobody sent it to, where people sign out', async () => {
    const { app, ask } = await signedIn()
    app.now += hour + 1
    const opened = await (await ask('/', page)).text()
    expect(opened).toContain('id="sign-out"')
    expect(opened).not.toMatch('id="recheck"')
    expect(opened).not.toMatch('Open your page again')
    const visitor = await (await app.call('/?return=//evil.example')).text()
    expect(visitor).toContain('id="starting"')
    expect(visitor).toContain('>Open your page again')
  })

  it('passes until the bound while Entra is away, and is then told so', async () => {
    const { app, open, recheck } = await signedIn()
    app.provider = async () => jsonResponse(503, {})
    app.now += hour + 1
    expect(await open()).toEqual(toSignIn)
    expect(await recheck()).toMatchObject({ status: 200, body: { return: '/timesheets/' } })
    app.now += 50 * minute
    expect(await open()).toEqual([204, null])
    app.now += 10 * minute
    expect(await open()).toEqual(toSignIn)
    expect(await recheck()).toMatchObject({ status: 503, body: { code: 'provider-unavailable' } })
    app.provider = providerOf()
    expect(await recheck()).toMatchObject({ status: 200 })
    expect(await open()).toEqual([204, null])
  })

  it('passes until the bound if Entra’s own page gives no answer for half a minute', async () => {
    const { app, open, begin, session } = await signedIn()
    app.now += hour + 1
    const asked = app.now
    for (const seconds of [0, 10, 30]) {
      app.now = asked + seconds * 1000
      expect(await open(), String(seconds)).toEqual(toSignIn)
      expect(await begin()).not.toBeNull()
      expect((await session())?.askedAt).toBe(asked)
    }
    app.now += 1
    expect(await open()).toEqual([204, null])
    expect(await begin()).toBeNull()
    app.now = asked + hour - 1
    expect(await open()).toEqual([204, null])
    app.now += 1
    expect(await open()).toEqual(toSignIn)
  })

  it('is due at the next page after any answer that refuses, even a late one', async () => {
    const { app, open, begin } = await signedIn()
    app.now += hour + 1
    const [first, second] = [await begin(), await begin()]
    app.now += minute
    expect(await open()).toEqual([204, null])
    await first?.answer({ error: 'login_required' })
    expect(await open()).toEqual(toSignIn)
    app.provider = async () => jsonResponse(503, {})
    await second?.answer({ code: 'another' })
    expect(await open()).toEqual([204, null])
    await first?.answer({ error: 'interaction_required' })
    expect(await open()).toEqual(toSignIn)
  })

  it('lets no leaver open a page after the first hour, unless Entra never answered, and none past the bound', async () => {
    const random = new Sequence(seed)
    const late: { isAnswered: boolean; afterMs: number }[] = []
    for (let leaver = 0; leaver < leavers; leaver += 1) {
      const { app, open, begin, ask } = await signedIn()
      const isAnswered = leaver % 4 > 0
      const leftAt = app.now + random.below(3 * hour)
      let confirmedAt = app.now
      let openedAt = 0
      while (app.now < leftAt + 4 * hour) {
        app.now += random.below(random.pick([minute, hour / 2]))
        const habit = random.below(10)
        if (habit < 2) await open({ 'x-forwarded-method': 'POST' })
        else if (habit < 4) await ask('/api/auth/forward')
        else if ((await open())[0] === 204) openedAt = app.now
        else {
          const hasLeft = app.now >= leftAt
          // Some open a second tab before the first one is back.
          const rounds = [await begin(), random.chance(30) ? await begin() : null]
          if (hasLeft && !isAnswered) continue
          for (const round of random.chance(50) ? rounds : rounds.toReversed()) {
            app.now += random.below(5000)
            await round?.answer(hasLeft ? { error: 'login_required' } : { code: `code-${app.now}` })
            if (!hasLeft && round) confirmedAt = app.now
          }
        }
      }
      late.push({ isAnswered, afterMs: openedAt - confirmedAt })
    }
    const longest = (isAnswered: boolean) =>
      Math.max(...late.filter(one => one.isAnswered === isAnswered).map(({ afterMs }) => afterMs))
    expect(longest(true)).toBeLessThanOrEqual(hour)
    expect(longest(false)).toBeGreaterThan(hour)
    expect(longest(false)).toBeLessThanOrEqual(2 * hour)
  })

  it('is confirmed in a network that has to wait for a stranger’s codes; a new sign-in there waits', async () => {
    const { app, open, recheck } = await signedIn()
    const network = '198.51.100.7'
    app.provider = async () => jsonResponse(400, { error: 'invalid_grant' })
    const { cookie, callback } = await app.start()
    const junk = () => app.call(callback.replace('=code', `=${Math.random()}`), cookie, { network })
    for (let sent = 0; sent < maxFailures; sent += 1) expect((await junk()).status).toBe(401)
    expect((await junk()).status).toBe(429)
    app.provider = providerOf()
    app.now += hour + 1
    expect((await app.signIn('real', '', { network })).answer.status).toBe(429)
    expect(await recheck({ code: 'another' }, network)).toMatchObject({ status: 200 })
    expect(await open()).toEqual([204, null])
  })

  it('has its rounds wait after five rejected codes in a minute, and passes until the bound', async () => {
    const { app, open, recheck } = await signedIn()
    const other = await signedIn({}, app)
    app.now += hour + 1
    app.provider = async () => jsonResponse(400, { error: 'invalid_grant' })
    const round = () => recheck({ code: `junk-${app.redeemed.length}` })
    const asked = app.redeemed.length
    for (let sent = 0; sent < maxRejectedRounds; sent += 1) {
      expect(await round()).toMatchObject({ status: 401, body: { code: 'recheck-refused' } })
      expect(await open()).toEqual(toSignIn)
    }
    expect(await round()).toMatchObject({ status: 200 })
    expect(await open()).toEqual([204, null])
    expect(app.redeemed.length - asked).toBe(maxRejectedRounds)
    app.now += hour
    expect(await open()).toEqual(toSignIn)
    expect(await round()).toMatchObject({ status: 429, body: { code: 'too-many-requests' } })
    app.provider = providerOf()
    expect(await other.recheck()).toMatchObject({ status: 200 })
  })

  it('changes nothing if Entra wants to see the person, but shows the button', async () => {
    const { app, ended, open, recheck, session } = await signedIn()
    app.now += hour + 1
    const before = await session()
    for (const error of ['interaction_required', 'login_required', 'consent_required', 'access_denied']) {
      expect(await recheck({ error }), error).toMatchObject({
        status: 401,
        body: { code: 'recheck-refused' },
      })
    }
    expect([await session(), ended]).toEqual([before, []])
    expect(await open({ 'x-forwarded-method': 'POST' })).toEqual([204, null])
  })

  it('ends at once if Entra says that the account is disabled, but not by a link that says so', async () => {
    const { app, ended, recheck, session } = await signedIn()
    app.now += hour + 1
    const disabled = {
      error: 'interaction_required',
      error_description: 'AADSTS50057: The user account is disabled.',
    }
    const lax = await signedIn({ REQUIRE_STATE: 'false' })
    lax.app.now += hour + 1
    const round = await lax.begin()
    expect(await round?.answer({ ...disabled, anonymous: 'yes' })).toMatchObject({
      body: { code: 'recheck-refused' },
    })
    expect(lax.ended).toEqual([])
    // The link does not take the place of Entra's own answer.
    expect(await round?.answer(disabled)).toMatchObject({ body: { code: 'sign-in-refused' } })
    expect(lax.ended).toHaveLength(1)
    expect(ended).toEqual([])
    expect(await recheck(disabled)).toMatchObject({ status: 403, body: { code: 'sign-in-refused' } })
    expect(ended).toEqual([(await session())?.id])
  })

  it('binds nobody: neither another account nor an employee who is unbound', async () => {
    const bound: string[] = []
    const bind = async (employeeId: string, objectId: string) => bound.push(`${employeeId} ${objectId}`) > 0
    const unbound = { ...candidate, boundTo: null, askerBoundTo: null }
    for (const [id, code] of [
      ['D1', 'signed-out'],
      ['D2', 'identity-changed'],
    ] as const) {
      const { app, ended, recheck, session } = await signedIn()
      app.now += hour + 1
      Object.assign(app.employees, { bind, findByName: async () => [unbound] })
      app.provider = providerOf({ id })
      expect(await recheck()).toMatchObject({ status: 401, body: { code } })
      expect(ended).toEqual([(await session())?.id])
    }
    expect(bound).toEqual([])
  })

  it('ignores a confirmation, an attempt or a use that is more than a minute in the future', async () => {
    const { app, ask, open } = await signedIn({ SESSION_IDLE: '90m' })
    const before = await readSession(app.sessions, (await app.signIn()).session)
    async function opened(change: Partial<Session>) {
      const cookie = pairOf(await sealSession(app.sessions, { ...(before as Session), ...change }))
      const [status] = await open({ cookie })
      return [status, (await ask('/api/session', { cookie })).status]
    }
    app.now += hour + 1
    const minuteAhead = app.now + minute
    expect(await opened({ provedAt: minuteAhead })).toEqual([204, 200])
    expect(await opened({ triedAt: minuteAhead })).toEqual([204, 200])
    expect(await opened({ provedAt: minuteAhead + 1 })).toEqual([302, 401])
    expect(await opened({ triedAt: minuteAhead + 1 })).toEqual([302, 200])
    app.now += hour / 2
    expect(await opened({ provedAt: app.now })).toEqual([302, 401])
    expect(await opened({ provedAt: app.now, seenAt: app.now + minute })).toEqual([204, 200])
    expect(await opened({ provedAt: app.now, seenAt: app.now + minute + 1 })).toEqual([302, 401])
  })

  it.each([
    ['the account of its employee', {}, { user: { username: 'ada' } }],
    ['an account that is not bound', { boundTo: null, askerBoundTo: null }, { code: 'signed-out' }],
    ['the account of another employee', { boundTo: 'D2', askerBoundTo: 'E2' }, { code: 'identity-changed' }],
  ])('of the old login goes on only if Entra names %s', async (_, change, body) => {
    const ended: string[] = []
    const app = startInProcess(env, {
      findByName: async () => [{ ...candidate, ...change }],
      endSession: async id => void ended.push(id),
    })
    const claims = { username: 'ada', resourceId: 'E1', isAdmin: 0 } as const
    const { session, setCookie } = await createSession(app.sessions, claims)
    app.now += hour + 1
    const cookie = pairOf(setCookie)
    const { callback, cookie: transaction } = await app.start('?prompt=none', cookie)
    const answer = await app.call(callback, `${cookie}; ${transaction}`)
    expect(await answer.json()).toMatchObject(body)
    expect(ended).toEqual('user' in body ? [] : [session.id])
  })

  it('ends with an alarm if Entra names another account', async () => {
    const { app, ended, recheck, session } = await signedIn()
    app.now += hour + 1
    app.provider = providerOf({ id: 'D2' })
    expect(await recheck()).toMatchObject({ status: 401, body: { code: 'identity-changed' } })
    expect(ended).toEqual([(await session())?.id])
    expect(app.logged.at(-1)).toMatchObject({ level: 'warning', security: true, employeeId: 'E1' })
  })
})
