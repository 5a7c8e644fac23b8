import { describe, expect, it } from 'vitest'
import type { SessionState } from '../../../src/employees/employee-store.ts'
import { clearCookie, sessionCookie } from '../../../src/http/cookies.ts'
import { routes } from '../../../src/routes.ts'
import { maxAgeOf, pairOf, sessionState, startInProcess } from '../support/in-process.ts'

const page = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'x-forwarded-uri': '/week' }
const redirecting = `${routes.forward}?navigate=redirect`
const mark = `${sessionCookie}=signed-out`
const again = 'Your session has ended. Sign in again to go on.'
const notSaved = 'What you sent was not saved'
const starting = 'id="starting"'

/** What the store can say about a session that nobody has signed out of here. */
const ends: Readonly<Record<string, Partial<SessionState>>> = {
  'a sign-out elsewhere': { sessionEnded: true },
  deactivation: { employee: { id: 'E1', userName: 'ada', isActive: false, isAdmin: false } },
  'the end of the record': { employee: null },
}

/** Starts a handler, whose store says this about every session once `end` is called. */
async function start(change: Partial<SessionState> = {}, env: Readonly<Record<string, string>> = {}) {
  let state = sessionState
  const app = startInProcess({ AUTO_SIGN_IN: 'true', ...env }, { checkSession: async () => state })
  const { session } = await app.signIn()
  const end = () => {
    state = { ...sessionState, ...change }
  }
  const textOf = async (path: string, cookie = '') => (await app.call(path, cookie, { headers: page })).text()
  return { app, session, end, textOf }
}

describe.each(Object.entries(ends))('a session that was ended by %s', (name, change) => {
  const says = name === 'deactivation' ? 'Your employee record is inactive.' : again

  it('is replaced by the mark of a sign-out, whatever asks for it', async () => {
    const { app, session, end } = await start(change)
    end()
    const asked = [routes.session, routes.authSession, routes.forward, '/', '/?return=/week']
    const answers = [
      ...asked.map(path => app.call(path, session, { trusted: true, headers: page })),
      app.send(routes.logoutAll, session),
    ]
    for (const answer of await Promise.all(answers)) {
      const setCookies = answer.headers.getSetCookie()
      expect([setCookies.map(pairOf), setCookies.map(maxAgeOf)]).toEqual([[mark], [7 * 86_400]])
    }
  })

  it.each(['true', 'false'])('waits for a click, and the page says why, with AUTO_SIGN_IN=%s', async auto => {
    const { app, session, end, textOf } = await start(change, { AUTO_SIGN_IN: auto })
    end()
    const sent = await app.call(redirecting, session, { trusted: true, headers: page })
    // The redirect leaves the cookie: by it, the page knows.
    expect([sent.headers.get('location'), sent.headers.getSetCookie()]).toEqual(['/?return=/week', []])
    const text = await textOf('/?return=/week', session)
    expect(text).toContain(says)
    expect(text).not.toContain(starting)
    expect(await textOf('/?return=/week', mark)).toContain(again)
  })

  it('is removed by the page if sign-ins do not start by themselves', async () => {
    const { app, session, end } = await start(change, { AUTO_SIGN_IN: 'false' })
    end()
    const answer = await app.call('/?return=/week', session, { headers: page })
    expect(answer.headers.getSetCookie()).toEqual([clearCookie(sessionCookie)])
  })
})

it('starts by itself for everybody without an ended session, with AUTO_SIGN_IN only (ASVS 5.0 7.6.2)', async () => {
  const { app, session, textOf } = await start()
  expect(await textOf('/?return=/week')).toContain(starting)
  const waiting = await start({}, { AUTO_SIGN_IN: 'false' })
  expect(await waiting.textOf('/?return=/week')).not.toContain(starting)
  // A key that is gone.
  const gone = await app.call(redirecting, session.replace(/=[^.]+\./, '=gone.'), {
    trusted: true,
    headers: page,
  })
  expect(gone.headers.getSetCookie()).toEqual([clearCookie(sessionCookie)])
})

describe('a form without a session', () => {
  const form = { ...page, 'x-forwarded-method': 'POST', referer: 'https://people.example.com/tickets/7' }
  const path = '/?form&return=/tickets/7'

  it('is told that it was not saved, and nothing starts by itself', async () => {
    const { app, session, end, textOf } = await start({ sessionEnded: true })
    const sent = await app.call(redirecting, '', { trusted: true, headers: form })
    expect([sent.status, sent.headers.get('location')]).toEqual([303, path])
    end()
    for (const cookie of ['', mark, session]) {
      const text = await textOf(path, cookie)
      expect(text, cookie).toContain(notSaved)
      expect(text, cookie).not.toContain(starting)
    }
  })

  it('is told so if the session is idle, or Entra has not confirmed it for too long', async () => {
    for (const env of [{ SESSION_IDLE: '1h' }, { SESSION_RECHECK: '30m' }] as const) {
      const { app, session, textOf } = await start({}, env)
      app.now += 3_600_001
      const sent = await app.call(redirecting, session, { trusted: true, headers: form })
      expect([sent.status, sent.headers.get('location')]).toEqual([303, path])
      const text = await textOf(path, session)
      expect(text).toContain(notSaved)
      expect(text).not.toContain(starting)
    }
  })

  it('goes on with one, such as a form of another site, which comes without the cookie', async () => {
    const { app, session } = await start()
    const sent = await app.call(path, session, { headers: { ...page, 'sec-fetch-site': 'cross-site' } })
    expect([sent.status, sent.headers.get('location')]).toEqual([302, '/tickets/7'])
  })

  it('is only meant by a mark before the path', async () => {
    const { textOf } = await start()
    for (const path of ['/?return=/week?a&form', '/?return=/week&form&return=/', '/?x&form&return=/week'])
      expect(await textOf(path), path).not.toContain(notSaved)
  })
})
