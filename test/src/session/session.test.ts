import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSession, readSession, sealSession, sessionRules } from '../../../src/session/session.ts'
import type { Visitor } from '../../support/visitor.ts'
import { type Person, type Stage, startStage } from '../support/stage.ts'

const minute = 60_000
const hour = 60 * minute

// The stores' tests run in both databases, and those of sign-ins and attacks on both runtimes.
describe('a session', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage('worker', {
      variants: { idle: { SESSION_IDLE: '10m' }, second: {} },
    })
  })
  afterAll(() => stage?.close())

  async function signedIn(hiring = {}, variant = 'main') {
    const person = await stage.hire(hiring)
    const visitor = stage.visitor(variant)
    expect((await visitor.signIn(person.account)).status).toBe(200)
    return { person, visitor }
  }
  const rules = (lifetimeMs: number, now: number) => ({
    ...sessionRules(stage.sessionKeys, lifetimeMs),
    now: () => now,
  })
  /** Reads a visitor's session as a service in the same trust domain would. */
  async function opened(visitor: Visitor) {
    const cookie = `__Host-homeport-session=${visitor.cookie('session')}`
    const session = await readSession(sessionRules(stage.sessionKeys, hour), cookie)
    if (!session) throw new Error('the cookie does not open')
    return session
  }
  const update = (column: 'is_active' | 'is_admin', value: boolean, { employeeId }: Person) =>
    stage.store.query(`UPDATE employees SET ${column} = ${value} WHERE id = $1`, [employeeId])

  it('holds the three documented claims, and no more', async () => {
    const { person, visitor } = await signedIn({ employee: { admin: true } })
    const { sealer } = sessionRules(stage.sessionKeys, hour)
    const text = await sealer.open('session', visitor.cookie('session') ?? '')
    const { claims } = JSON.parse(text ?? '{}') as { readonly claims?: unknown }
    expect(claims).toEqual({ username: person.userName, resourceId: person.employeeId, isAdmin: 1 })
  })

  it('stays ended if the employee is activated again, once anything saw them inactive (ASVS 5.0 7.4.2)', async () => {
    const checked = await signedIn()
    await update('is_active', false, checked.person)
    const copy = stage.copyOf(checked.visitor)
    const other = stage.copyOf(checked.visitor)
    expect((await checked.visitor.session()).body).toMatchObject({ code: 'inactive', status: 401 })
    expect(checked.visitor.cookie('session')).toBeUndefined()
    expect((await copy.session()).body).toMatchObject({ code: 'inactive' })
    // A sign-out of somebody else drops what no session needs any more.
    await (await signedIn()).visitor.logout()
    await update('is_active', true, checked.person)
    expect((await other.session()).body).toMatchObject({ code: 'signed-out', status: 401 })

    const refused = await signedIn()
    await update('is_active', false, refused.person)
    expect((await stage.visitor().signIn(refused.person.account)).body).toMatchObject({ code: 'inactive' })
    await update('is_active', true, refused.person)
    expect((await refused.visitor.session()).body).toMatchObject({ code: 'signed-out' })
    expect((await refused.visitor.signIn(refused.person.account)).status).toBe(200)
    expect((await refused.visitor.session()).status).toBe(200)
  })

  it('stays ended if its record’s id is given to a new person', async () => {
    const { person, visitor } = await signedIn()
    const copy = stage.copyOf(visitor)
    await stage.store.query('DELETE FROM employees WHERE id = $1', [person.employeeId])
    expect((await visitor.session()).body).toMatchObject({ code: 'not-in-system' })
    await stage.store.query('DELETE FROM homeport_bindings WHERE employee_id = $1', [person.employeeId])
    const next = await stage.hire({ employee: { id: person.employeeId } })
    expect((await copy.session()).body).toMatchObject({ code: 'signed-out' })
    const newcomer = stage.visitor()
    expect((await newcomer.signIn(next.account)).status).toBe(200)
    expect((await newcomer.session()).status).toBe(200)
  })

  it('ends when its record’s binding changes, even by SQL', async () => {
    const { person, visitor } = await signedIn()
    const copy = stage.copyOf(visitor)
    await stage.store.query('UPDATE homeport_bindings SET directory_id = $1 WHERE employee_id = $2', [
      `other-${person.objectId}`,
      person.employeeId,
    ])
    expect((await visitor.session()).body).toMatchObject({ code: 'signed-out', status: 401 })
    expect(visitor.cookie('session')).toBeUndefined()
    await stage.store.query('DELETE FROM homeport_bindings WHERE employee_id = $1', [person.employeeId])
    expect((await copy.session()).body).toMatchObject({ code: 'signed-out' })
  })

  it('applies a changed admin flag or user name at the next request, in the cookie too', async () => {
    const { person, visitor } = await signedIn()
    const before = visitor.cookie('session')
    const { id, issuedAt, expiresAt } = await opened(visitor)
    await update('is_admin', true, person)
    expect((await visitor.session()).body).toMatchObject({ user: { isAdmin: true } })
    expect(visitor.cookie('session')).not.toBe(before)
    expect((await visitor.call('/api/auth/forward')).headers.get('x-homeport-is-admin')).toBe('1')
    expect((await opened(visitor)).claims.isAdmin).toBe(1)
    const username = `${person.userName}renamed`
    await stage.store.query('UPDATE employees SET user_name = $1 WHERE id = $2', [
      username,
      person.employeeId,
    ])
    expect((await visitor.session()).body).toMatchObject({ user: { username, isAdmin: true } })
    expect((await opened(visitor)).claims.username).toBe(username)
    await update('is_admin', false, person)
    expect((await visitor.session()).body).toMatchObject({ user: { username, isAdmin: false } })
    const claims = { username, resourceId: person.employeeId, isAdmin: 0 }
    expect(await opened(visitor)).toMatchObject({ id, issuedAt, expiresAt, claims })
  })

  it('stays revoked while it could have lasted, even if others sign out or in (ASVS 5.0 7.2.4, 7.4.1)', async () => {
    const { person, visitor } = await signedIn()
    const copies: Visitor[] = []
    async function keepCopy() {
      const copy = stage.copyOf(visitor)
      copies.push(copy)
      return opened(copy)
    }
    const replaced = await keepCopy()
    await visitor.signIn(person.account)
    const signedOut = await keepCopy()
    const elsewhere = stage.visitor('second')
    await elsewhere.signIn(person.account)
    expect((await visitor.logout()).status).toBe(204)
    expect(visitor.cookie('session')).toBeUndefined()
    expect((await elsewhere.session()).status).toBe(200)
    for (const { id, expiresAt } of [replaced, signedOut]) {
      const rows = await stage.store.query(
        'SELECT keep_until FROM homeport_ended_sessions WHERE subject = $1',
        [`session:${id}`],
      )
      expect(rows.map(row => Number(row['keep_until']))).toEqual([expiresAt])
    }
    // Every logout removes expired revocations: at a later time, so that one which expired at once would be removed.
    const endedAt = Date.now()
    await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(endedAt)
    const { visitor: other } = await signedIn()
    expect((await other.logout()).status).toBe(204)
    for (const copy of copies) expect((await copy.session()).body).toMatchObject({ code: 'signed-out' })
  })

  it('ends with every other session of the user at logout-all, and nobody else’s', async () => {
    const { person, visitor } = await signedIn()
    const elsewhere = stage.visitor('second')
    await elsewhere.signIn(person.account)
    const { visitor: colleague } = await signedIn()
    expect((await visitor.logoutAll({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await visitor.logoutAll({})).status).toBe(403)
    expect((await elsewhere.session()).status).toBe(200)
    const copy = stage.copyOf(visitor)
    const answer = await visitor.logoutAll()
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect(visitor.cookie('session')).toBeUndefined()
    for (const ended of [copy, elsewhere])
      expect((await ended.session()).body).toMatchObject({ code: 'signed-out', status: 401 })
    expect((await colleague.session()).status).toBe(200)
    expect((await visitor.signIn(person.account)).status).toBe(200)
    expect((await visitor.session()).status).toBe(200)
  })

  /** Returns an idle session of a person, in a browser of theirs and in one that kept it in use. */
  async function idleWithCopy(person: Person) {
    const started = Date.now() - 11 * minute
    const used = rules(8 * hour, started)
    const claims = { username: person.userName, resourceId: person.employeeId, isAdmin: 0 } as const
    const { session } = await createSession(used, claims)
    const [own, copy] = [stage.visitor('idle'), stage.visitor('idle')]
    for (const [visitor, seenAt] of [
      [own, started],
      [copy, started + 10 * minute],
    ] as const) {
      const setCookie = await sealSession(used, { ...session, seenAt })
      visitor.setCookie('session', /=([^;]+);/.exec(setCookie)?.[1])
    }
    expect((await copy.session()).status).toBe(200)
    return { own, copy }
  }

  it('ends a copy that was kept in use when its person signs out, although the own cookie is idle (ASVS 5.0 7.4.1)', async () => {
    const person = await stage.hire()
    for (const [way, status] of [
      ['logout', 204],
      ['logoutAll', 401],
    ] as const) {
      const { own, copy } = await idleWithCopy(person)
      expect((await own[way]()).status).toBe(status)
      expect((await copy.session()).body).toMatchObject({ code: 'signed-out', status: 401 })
    }
  })

  it('ends a copy that was kept in use at the next sign-in, although the own cookie is idle (ASVS 5.0 7.2.4)', async () => {
    const person = await stage.hire()
    const { own, copy } = await idleWithCopy(person)
    // What the pages ask before a person signs in again.
    expect((await own.session()).body).toMatchObject({ code: 'signed-out' })
    expect((await own.call('/api/auth/forward')).status).toBe(401)
    expect((await own.signIn(person.account)).status).toBe(200)
    expect((await copy.session()).body).toMatchObject({ code: 'signed-out', status: 401 })
    expect((await own.session()).status).toBe(200)
  })
})
