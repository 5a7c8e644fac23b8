import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSession, sessionRules } from '../../src/session.ts'
import { type Person, runtimes, type Stage, startStage } from './support/stage.ts'

describe.each(runtimes)('a session on %s', runtime => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime, {
      variants: { idle: { SESSION_IDLE: '10m' }, second: {}, short: { SESSION_LIFETIME: '5m' } },
    })
  })
  afterAll(() => stage?.close())

  const signedIn = async (hiring = {}, variant = 'main') => {
    const person = await stage.hire(hiring)
    const visitor = stage.visitor(variant)
    expect((await visitor.signIn(person.account)).status).toBe(200)
    return { person, visitor }
  }
  const rules = (lifetimeMs: number, now: number) => ({
    ...sessionRules(stage.sessionKeys, lifetimeMs),
    now: () => now,
  })
  /** A session cookie as this handler would have made it at another time. */
  const sealedAt = async ({ userName, employeeId }: Person, now: number, lifetimeMs = 8 * 3_600_000) => {
    const claims = { username: userName, resourceId: employeeId, isAdmin: 0 } as const
    const { setCookie } = await createSession(rules(lifetimeMs, now), claims)
    return /=([^;]+);/.exec(setCookie)?.[1] ?? ''
  }
  const update = (column: 'is_active' | 'is_admin', value: boolean, { employeeId }: Person) =>
    stage.store.query(`UPDATE employees SET ${column} = ${value} WHERE id = $1`, [employeeId])

  it('is carried by a cookie scripts and other sites cannot use (ASVS 5.0 3.3.1 to 3.3.5)', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const answer = await visitor.signIn(account)
    const cookies = answer.headers.getSetCookie()
    expect(cookies).toHaveLength(2)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-homeport-(session|transaction)=/)
      expect(cookie).toMatch(/; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/)
      expect(cookie).not.toMatch(/domain/i)
      expect(cookie.length).toBeLessThan(4096)
    }
    expect(cookies[0]).toContain('Max-Age=28800;')
  })

  it('stays under 4096 bytes with the longest name and five tabs', async () => {
    const longest = 'x'.repeat(256)
    const { visitor } = await signedIn({ employee: { userName: longest } })
    for (let tab = 0; tab < 7; tab += 1) await visitor.start()
    expect(visitor.cookie('session')?.length).toBeLessThan(2048)
    expect(visitor.cookie('transaction')?.length).toBeLessThan(2048)
  })

  it('is told by a reverse proxy in headers, the name percent-encoded', async () => {
    const { person, visitor } = await signedIn({ employee: { userName: `zo\u00eb${runtime}`, admin: true } })
    const answer = await visitor.call('/api/auth/forward')
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect(answer.headers.get('x-homeport-username')).toBe(`zo%C3%AB${runtime}`)
    expect(answer.headers.get('x-homeport-resource-id')).toBe(person.employeeId)
    expect(answer.headers.get('x-homeport-is-admin')).toBe('1')
    expect((await stage.visitor().call('/api/auth/forward')).status).toBe(401)
  })

  it('ends with the employee’s deactivation, at the next request (ASVS 5.0 7.4.2)', async () => {
    const { person, visitor } = await signedIn()
    await update('is_active', false, person)
    expect((await visitor.session()).body).toMatchObject({ code: 'inactive', status: 401 })
    expect(visitor.cookie('session')).toBeUndefined()
    const proxied = await signedIn()
    await update('is_active', false, proxied.person)
    expect((await proxied.visitor.call('/api/auth/forward')).status).toBe(401)
  })

  it('ends when the record is gone', async () => {
    const { person, visitor } = await signedIn()
    await stage.store.query('DELETE FROM employees WHERE id = $1', [person.employeeId])
    expect((await visitor.session()).body).toMatchObject({ code: 'not-in-system', status: 401 })
  })

  it('follows a changed admin flag at the next request, in the cookie’s claims too', async () => {
    const { person, visitor } = await signedIn()
    const before = visitor.cookie('session')
    await update('is_admin', true, person)
    expect((await visitor.session()).body).toMatchObject({ user: { isAdmin: true } })
    expect(visitor.cookie('session')).not.toBe(before)
    expect((await visitor.call('/api/auth/forward')).headers.get('x-homeport-is-admin')).toBe('1')
    await update('is_admin', false, person)
    expect((await visitor.session()).body).toMatchObject({ user: { isAdmin: false } })
  })

  it('is dead everywhere after logout, copies of its cookie included (ASVS 5.0 7.4.1)', async () => {
    const { visitor } = await signedIn()
    const thief = stage.visitor('second')
    thief.setCookie('session', visitor.cookie('session'))
    expect((await thief.session()).status).toBe(200)
    const answer = await visitor.logout()
    expect(answer.status).toBe(204)
    expect(visitor.cookie('session')).toBeUndefined()
    expect((await thief.session()).body).toMatchObject({ code: 'signed-out', status: 401 })
  })

  it('leaves the person’s other sessions alone at logout', async () => {
    const { person, visitor } = await signedIn()
    const elsewhere = stage.visitor()
    await elsewhere.signIn(person.account)
    await visitor.logout()
    expect((await elsewhere.session()).status).toBe(200)
  })

  it('is new at every sign-in, which ends the one it replaces (ASVS 5.0 7.2.4)', async () => {
    const { person, visitor } = await signedIn()
    const former = stage.visitor()
    former.setCookie('session', visitor.cookie('session'))
    await visitor.signIn(person.account)
    expect(visitor.cookie('session')).not.toBe(former.cookie('session'))
    expect((await visitor.session()).status).toBe(200)
    expect((await former.session()).body).toMatchObject({ code: 'signed-out' })
  })

  it('ends for an employee as a whole when an operator says so (ASVS 5.0 7.4.5)', async () => {
    const { person, visitor } = await signedIn()
    await stage.store.query(
      'INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ($1, $2, $3)',
      [`employee:${person.employeeId}`, Date.now(), Date.now() + 60_000],
    )
    expect((await visitor.session()).body).toMatchObject({ code: 'signed-out' })
    await visitor.signIn(person.account)
    expect((await visitor.session()).status).toBe(200)
  })

  it('has an absolute end', async () => {
    const { person } = await signedIn()
    const visitor = stage.visitor()
    visitor.setCookie('session', await sealedAt(person, Date.now() - 7.9 * 3_600_000))
    expect((await visitor.session()).status).toBe(200)
    visitor.setCookie('session', await sealedAt(person, Date.now() - 8 * 3_600_000 - 1000))
    expect((await visitor.session()).body).toMatchObject({ code: 'signed-out' })
    const short = stage.visitor('short')
    await short.signIn(person.account)
    expect(short.cookie('session')).toBeDefined()
  })

  it('ends by idleness only where that is set, and use moves that end', async () => {
    const { person } = await signedIn()
    const idleFor = async (minutes: number, variant: string) => {
      const visitor = stage.visitor(variant)
      visitor.setCookie('session', await sealedAt(person, Date.now() - minutes * 60_000))
      const before = visitor.cookie('session')
      const { status } = await visitor.session()
      return { status, renewed: visitor.cookie('session') !== before }
    }
    expect(await idleFor(11, 'idle')).toMatchObject({ status: 401 })
    expect(await idleFor(9, 'idle')).toEqual({ status: 200, renewed: true })
    expect(await idleFor(0, 'idle')).toEqual({ status: 200, renewed: false })
    expect(await idleFor(11, 'main')).toEqual({ status: 200, renewed: false })
  })

  it('may be started by a service that holds a key, such as the legacy login', async () => {
    const person = await stage.hire()
    const visitor = stage.visitor()
    visitor.setCookie('session', await sealedAt(person, Date.now()))
    expect((await visitor.session()).body).toMatchObject({ user: { username: person.userName } })
  })

  it('is not started by anything else that the key sealed, nor by what another key did', async () => {
    const visitor = stage.visitor()
    await visitor.start()
    visitor.setCookie('session', visitor.cookie('transaction'))
    expect((await visitor.session()).body).toMatchObject({ code: 'signed-out' })
    visitor.setCookie('session', `k1.${'A'.repeat(200)}`)
    expect((await visitor.session()).body).toMatchObject({ code: 'signed-out' })
  })
})
