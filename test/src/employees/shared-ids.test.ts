import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Visitor } from '../../support/visitor.ts'
import { type Person, type Stage, startStage } from '../support/stage.ts'

describe('an id in two records of HR’s view', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage('node', {
      variants: { second: {} },
      env: { BIND_ON_FIRST_USE: 'employees' },
    })
    const { store } = stage
    // A view over HR's table and another source of theirs, which keeps no id unique.
    await store.query('ALTER TABLE employees RENAME TO hr_people')
    await store.query('CREATE TABLE hr_others (id TEXT, user_name TEXT, is_active BOOLEAN, is_admin BOOLEAN)')
    await store.query('CREATE VIEW employees AS SELECT * FROM hr_people UNION ALL SELECT * FROM hr_others')
  })
  afterAll(() => stage?.close())
  beforeEach(() => stage.store.query('DELETE FROM hr_others'))

  /** Creates an account with a record in HR's table. */
  async function hire(): Promise<Person> {
    const person = await stage.hire({ employee: null })
    const { employeeId, userName } = person
    await stage.store.query('INSERT INTO hr_people (id, user_name) VALUES ($1, $2)', [employeeId, userName])
    return person
  }
  const addRecord = (id: string, userName: string, active: boolean, admin: boolean) =>
    stage.store.query(`INSERT INTO hr_others VALUES ($1, $2, ${active}, ${admin})`, [id, userName])

  it('lets nobody sign in under either name', async () => {
    const [ada, admin] = [await hire(), await stage.hire({ employee: null })]
    await addRecord(ada.employeeId, admin.userName, true, true)
    for (const { account } of [ada, admin]) {
      const visitor = stage.visitor()
      expect((await visitor.signIn(account)).body).toMatchObject({ code: 'ambiguous-employee', status: 401 })
      expect(visitor.cookie('session')).toBeUndefined()
    }
    expect(await stage.store.query('SELECT * FROM homeport_bindings')).toEqual([])
    await stage.store.query('DELETE FROM hr_others')
    expect((await stage.visitor().signIn(ada.account)).status).toBe(200)
  })

  it.each([
    ['another name', (name: string) => `${name}-adm`, true, false],
    ['the same name in another case', (name: string) => name.toUpperCase(), true, false],
    ['administrator rights', (name: string) => name, true, true],
    ['one that HR switched off', (name: string) => name, false, false],
    ['another name, and switched off', (name: string) => `${name}-old`, false, false],
  ] as const)('serves no session as anyone: the other record has %s', async (_, nameOf, active, admin) => {
    const person = await hire()
    const visitor = stage.visitor()
    expect((await visitor.signIn(person.account)).status).toBe(200)
    const session = visitor.cookie('session')
    await addRecord(person.employeeId, nameOf(person.userName), active, admin)
    const forward = await visitor.call('/api/auth/forward')
    expect(forward.body).toMatchObject({ code: 'ambiguous-employee', status: 401 })
    expect(forward.headers.get('x-homeport-resource-id')).toBeNull()
    for (const ask of [() => visitor.session(), () => visitor.logoutAll()]) {
      visitor.setCookie('session', session)
      expect((await ask()).body).toMatchObject({ code: 'ambiguous-employee', status: 401 })
    }
    await stage.store.query('DELETE FROM hr_others')
    expect((await visitor.signIn(person.account)).status).toBe(200)
    expect((await visitor.session()).status).toBe(200)
  })

  it.each([
    ['a session', (_: Person, visitor: Visitor) => visitor.session()],
    ['a sign-in', ({ account }: Person) => stage.visitor().signIn(account)],
  ] as const)('ends the earlier sessions of both records once %s finds it', async (_, ask) => {
    const person = await hire()
    const visitor = stage.visitor()
    await visitor.signIn(person.account)
    const copy = stage.visitor()
    copy.setCookie('session', visitor.cookie('session'))
    await addRecord(person.employeeId, `${person.userName}-adm`, true, true)
    expect((await ask(person, visitor)).body).toMatchObject({ code: 'ambiguous-employee' })
    await stage.store.query('DELETE FROM hr_people WHERE id = $1', [person.employeeId])
    expect((await copy.session()).body).toMatchObject({ code: 'signed-out', status: 401 })
  })

  it('makes /healthz unavailable, which says no more in public and the code in the log', async () => {
    const person = await hire()
    await addRecord(person.employeeId, `${person.userName}-adm`, true, true)
    const health = await stage.visitor('second').call('/healthz')
    expect({ status: health.status, body: health.body }).toEqual({
      status: 503,
      body: { status: 'unavailable' },
    })
    await expect.poll(() => stage.output()).toContain('"store":"id-not-unique"')
  })
})
