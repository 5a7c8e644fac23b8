import { describe, expect, it } from 'vitest'
import { keepRevocationMs } from '../../../src/employees/revocations.ts'
import { clearCookie, sessionCookie } from '../../../src/http/cookies.ts'
import { readSession } from '../../../src/session/session.ts'
import { maxAgeOf, pairOf, startInProcess } from '../support/in-process.ts'

describe('a cookie of the handler', () => {
  it('keeps all that a session holds when it is renewed, the address and the binding among it', async () => {
    const app = startInProcess({ EMAIL_HEADER: 'true', SESSION_IDLE: '1h' })
    const { session } = await app.signIn()
    const before = await readSession(app.sessions, session)
    expect(before).toMatchObject({ email: 'ada@example.com', boundTo: 'D1', host: 'people.example.com' })
    app.now += 30 * 60_000
    const answer = await app.call('/api/auth/forward', session)
    expect(answer.headers.get('x-homeport-email')).toBe('ada@example.com')
    const renewed = await readSession(app.sessions, pairOf(answer.headers.getSetCookie()[0]))
    expect(renewed).toEqual({ ...before, seenAt: app.now })
  })

  it('keeps the mark of a sign-out for seven days, whatever asks for the session', async () => {
    const ended: number[] = []
    const app = startInProcess({ AUTO_SIGN_IN: 'true' })
    app.employees.endSession = async (_id, _now, keepUntil) => void ended.push(keepUntil)
    const { session } = await app.signIn()
    for (const path of ['/api/auth/logout', '/api/auth/logout-all']) {
      const [setCookie] = (await app.send(path, session)).headers.getSetCookie()
      expect(maxAgeOf(setCookie)).toBe(7 * 86_400)
      const mark = pairOf(setCookie)
      for (const asked of ['/api/auth/forward', '/api/session', '/?return=/x', '/']) {
        const answer = await app.call(asked, mark)
        expect(answer.headers.getSetCookie(), asked).toEqual([])
        expect(await answer.text(), asked).not.toContain('id="starting"')
      }
    }
    expect(await (await app.call('/?return=/x')).text()).toContain('id="starting"')
    // The revocation outlives every copy of the cookie.
    expect(ended).toEqual([app.now + 8 * 3_600_000])
    expect(keepRevocationMs).toBe(8 * 86_400_000)
  })
  it('is removed by a sign-out, which names the provider’s if LOGOUT_AT_PROVIDER is set', async () => {
    const app = startInProcess({ LOGOUT_AT_PROVIDER: 'true' })
    const { session } = await app.signIn()
    const answer = await app.send('/api/auth/logout', session)
    expect(answer.headers.getSetCookie()).toEqual([clearCookie(sessionCookie)])
    expect(clearCookie(sessionCookie)).toMatch('__Host-homeport-session=; Path=/; Max-Age=0; ')
    expect(await answer.json()).toEqual({
      url: 'https://login.microsoftonline.com/tenant/oauth2/v2.0/logout',
    })
  })

  it.each([
    ['true', '"cache"'],
    ['false', null],
  ])('goes with the cache of the site if LOGOUT_AT_PROVIDER is %s: %s', async (given, cleared) => {
    const app = startInProcess({ LOGOUT_AT_PROVIDER: given, SESSION_IDLE: '1h' })
    for (const path of ['/api/auth/logout', '/api/auth/logout-all']) {
      const { session } = await app.signIn()
      // The second time, the session is idle.
      for (let times = 0; times < 2; times++, app.now += 2 * 3_600_000)
        expect((await app.send(path, session)).headers.get('clear-site-data'), path).toBe(cleared)
    }
  })
})
