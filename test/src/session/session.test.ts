import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/routes.ts'
import { readSession } from '../../../src/session/session.ts'
import { type Database, migrate, openDatabase } from '../support/databases.ts'
import { type InProcess, pairOf, providerOfNames, startInProcess } from '../support/in-process.ts'

const minute = 60_000

// The stores' tests run in both databases, and those of sign-ins on both runtimes.
describe('a session', () => {
  let database: Database
  let app: InProcess
  const start = (env = {}) => startInProcess(env, database.employees, providerOfNames)
  beforeAll(async () => {
    database = await openDatabase('postgres')
    await migrate(database.store)
    app = start()
  })
  afterAll(() => database?.close())

  const query = (sql: string, ...values: readonly string[]) => database.store.query(sql, values)
  let people = 0
  /** Adds an employee, whose id is the upper case of their name. */
  async function hire(admin = false): Promise<string> {
    people += 1
    const name = `p${people}`
    await query(
      `INSERT INTO employees (id, user_name, is_admin) VALUES ($1, $2, ${admin})`,
      name.toUpperCase(),
      name,
    )
    return name
  }
  const set = (name: string, flag: 'is_active' | 'is_admin', value: boolean) =>
    query(`UPDATE employees SET ${flag} = ${value} WHERE id = $1`, name.toUpperCase())
  async function signedIn(name: string, cookies = '', at = app): Promise<string> {
    // A session that began with this sign-in would be kept.
    at.now += 1
    const { answer, session } = await at.signIn(name, cookies)
    expect(answer.status).toBe(200)
    return session
  }
  /** Asks for the session. Returns the user or the code, and what the browser then has. */
  async function ask(cookie: string, at = app) {
    const answer = await at.call(routes.session, cookie)
    const [renewed] = answer.headers.getSetCookie()
    const { user, code } = (await answer.json()) as { user?: object; code?: string }
    return { user, code, cookie: renewed === undefined ? cookie : pairOf(renewed) }
  }
  const codeOf = async (cookie: string, at = app) => (await ask(cookie, at)).code ?? 'signed in'

  it('holds the three documented claims, and no more', async () => {
    const cookie = await signedIn(await hire(true))
    const text = await app.sessions.sealer.open('session', cookie.replace(/^[^=]+=/, ''))
    const { claims } = JSON.parse(text ?? '{}') as { readonly claims?: unknown }
    expect(claims).toEqual({ username: `p${people}`, resourceId: `P${people}`, isAdmin: 1 })
  })

  it('stays ended if the employee is activated again, once anything saw them inactive (ASVS 5.0 7.4.2)', async () => {
    const [name, refused] = [await hire(), await hire()]
    const cookie = await signedIn(name)
    await set(name, 'is_active', false)
    const seen = await ask(cookie)
    expect([seen.code, seen.cookie]).toEqual(['inactive', '__Host-homeport-session='])
    expect(await codeOf(cookie)).toBe('inactive')
    // A sign-out of somebody else drops what no session needs any more.
    await app.send(routes.logout, await signedIn(await hire()))
    await set(name, 'is_active', true)
    expect(await codeOf(cookie)).toBe('signed-out')

    const other = await signedIn(refused)
    await set(refused, 'is_active', false)
    expect(await (await app.signIn(refused)).answer.json()).toMatchObject({ code: 'inactive', status: 401 })
    await set(refused, 'is_active', true)
    expect(await codeOf(other)).toBe('signed-out')
    expect(await codeOf(await signedIn(refused))).toBe('signed in')
  })

  it('stays ended if its record’s id is given to a new person', async () => {
    const name = await hire()
    const cookie = await signedIn(name)
    await query('DELETE FROM employees WHERE id = $1', name.toUpperCase())
    expect(await codeOf(cookie)).toBe('not-in-system')
    await query('DELETE FROM homeport_bindings WHERE employee_id = $1', name.toUpperCase())
    await query("INSERT INTO employees (id, user_name) VALUES ($1, 'next')", name.toUpperCase())
    expect(await codeOf(cookie)).toBe('signed-out')
    expect(await codeOf(await signedIn('next'))).toBe('signed in')
  })

  it('ends when its record’s binding changes, even by SQL', async () => {
    const cookie = await signedIn(await hire())
    const bound = `WHERE employee_id = 'P${people}'`
    await query(`UPDATE homeport_bindings SET directory_id = 'other' ${bound}`)
    expect(await ask(cookie)).toMatchObject({ code: 'signed-out', cookie: '__Host-homeport-session=' })
    await query(`DELETE FROM homeport_bindings ${bound}`)
    expect(await codeOf(cookie)).toBe('signed-out')
  })

  it('keeps its cookie for a minute if the store does not show its binding yet', async () => {
    const cookie = await signedIn(await hire())
    const bound = `WHERE employee_id = 'P${people}'`
    const [binding] = await query(`SELECT directory_id FROM homeport_bindings ${bound}`)
    await query(`DELETE FROM homeport_bindings ${bound}`)
    expect(await ask(cookie)).toEqual({ user: undefined, code: 'signed-out', cookie })
    await query(
      `INSERT INTO homeport_bindings VALUES ('P${people}', $1, 1, 'sign-in')`,
      binding?.['directory_id'] as string,
    )
    expect(await codeOf(cookie)).toBe('signed in')
    await query(`DELETE FROM homeport_bindings ${bound}`)
    app.now += minute
    expect(await ask(cookie)).toMatchObject({ code: 'signed-out', cookie: '__Host-homeport-session=' })
  })

  it('applies a changed admin flag or user name at the next request, in the cookie too', async () => {
    const name = await hire()
    const cookie = await signedIn(name)
    const before = await readSession(app.sessions, cookie)
    await set(name, 'is_admin', true)
    const promoted = await ask(cookie)
    expect(promoted.user).toMatchObject({ isAdmin: true })
    const checked = await app.call(routes.forward, cookie)
    expect([checked.headers.get('x-homeport-is-admin'), checked.headers.getSetCookie()]).toEqual([
      '1',
      [expect.stringMatching(/./)],
    ])
    await query("UPDATE employees SET user_name = 'renamed' WHERE id = $1", name.toUpperCase())
    const renamed = await ask(promoted.cookie)
    expect(renamed.user).toMatchObject({ username: 'renamed', isAdmin: true })
    const claims = { username: 'renamed', resourceId: name.toUpperCase(), isAdmin: 1 }
    expect(await readSession(app.sessions, renamed.cookie)).toEqual({ ...before, claims, seenAt: app.now })
  })

  it('stays revoked while it could have lasted, even if others sign out or in (ASVS 5.0 7.2.4, 7.4.1)', async () => {
    const name = await hire()
    const replaced = await signedIn(name)
    const signedOut = await signedIn(name, replaced)
    const elsewhere = await signedIn(name)
    const out = await app.send(routes.logout, signedOut)
    expect([out.status, pairOf(out.headers.getSetCookie()[0])]).toEqual([204, '__Host-homeport-session='])
    for (const cookie of [replaced, signedOut]) {
      const { id = '', expiresAt } = (await readSession(app.sessions, cookie)) ?? {}
      const rows = await query(
        'SELECT keep_until FROM homeport_ended_sessions WHERE subject = $1',
        `session:${id}`,
      )
      expect(rows.map(row => Number(row['keep_until']))).toEqual([expiresAt])
    }
    // Every logout removes expired revocations, also one that had expired at once.
    app.now += minute
    await app.send(routes.logout, await signedIn(await hire()))
    expect(await Promise.all([replaced, signedOut, elsewhere].map(cookie => codeOf(cookie)))).toEqual([
      ...['signed-out', 'signed-out', 'signed in'],
    ])
  })

  it('ends with every other session of the user at logout-all, and nobody else’s', async () => {
    const name = await hire()
    const [own, elsewhere, colleague] = [
      await signedIn(name),
      await signedIn(name),
      await signedIn(await hire()),
    ]
    const answer = await app.send(routes.logoutAll, own)
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    expect(pairOf(answer.headers.getSetCookie()[0])).toBe('__Host-homeport-session=')
    // A later sign-out drops only what no session needs any more.
    await app.send(routes.logout, await signedIn(await hire()))
    expect(await Promise.all([own, elsewhere, colleague].map(cookie => codeOf(cookie)))).toEqual([
      ...['signed-out', 'signed-out', 'signed in'],
    ])
    expect(await codeOf(await signedIn(name))).toBe('signed in')
  })

  it.each([
    ['a sign-out', (at: InProcess, own: string) => at.send(routes.logout, own), 204],
    ['a sign-out everywhere', (at: InProcess, own: string) => at.send(routes.logoutAll, own), 401],
    [
      'the next sign-in',
      async (at: InProcess, own: string) => (await at.signIn(`p${people}`, own)).answer,
      200,
    ],
  ])(
    'ends a copy that was kept in use by %s, although the own cookie is idle (ASVS 5.0 7.2.4, 7.4.1)',
    async (_, end, status) => {
      const idle = start({ SESSION_IDLE: '10m' })
      const own = await signedIn(await hire(), '', idle)
      idle.now += 9 * minute
      const { cookie: copy } = await ask(own, idle)
      idle.now += 2 * minute
      // What the pages ask before: it keeps the cookie, with which alone the copy can be ended.
      expect(await ask(own, idle)).toEqual({ user: undefined, code: 'signed-out', cookie: own })
      expect(await codeOf(copy, idle)).toBe('signed in')
      expect((await end(idle, own)).status).toBe(status)
      expect(await codeOf(copy, idle)).toBe('signed-out')
    },
  )

  it('starts anew for another account, in a tab that began before', async () => {
    const [ada, grace] = [await hire(), await hire()]
    const tab = await app.start('?prompt=select_account')
    expect(new URL(tab.url).searchParams.get('prompt')).toBe('select_account')
    const first = await signedIn(ada)
    const answer = await app.call(
      tab.callback.replace('code=code', `code=${grace}`),
      `${tab.cookie}; ${first}`,
    )
    expect(await answer.json()).toMatchObject({ user: { username: grace } })
    expect(await codeOf(first)).toBe('signed-out')
  })

  it('answers a repeated callback, and only while it counts', async () => {
    const name = await hire()
    const { cookie, callback } = await app.start()
    const returned = callback.replace('code=code', `code=${name}`)
    const session = pairOf((await app.call(returned, cookie)).headers.getSetCookie()[0])
    await set(name, 'is_admin', true)
    const gone = returned.replace(/state=.*/, 'state=another')
    for (const [query, cookies] of [
      [returned, session],
      [gone, session],
      [returned, cookie],
    ] as const) {
      const answer = await app.call(query, cookies)
      expect(await answer.json(), query).toEqual({
        user: { username: name, resourceId: name.toUpperCase(), isAdmin: true },
      })
    }
    await app.send(routes.logout, session)
    for (const [query, cookies, code] of [
      [gone, session, 'transaction-missing'],
      [returned, cookie, 'sign-in-expired'],
    ] as const)
      expect(await (await app.call(query, cookies)).json()).toMatchObject({ code })
    await set(name, 'is_active', false)
    expect(await (await app.call(returned, cookie)).json()).toMatchObject({ code: 'inactive', status: 401 })
  })
})
