import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmployeeStore, StoreFailure } from '../../../src/employees/employee-store.ts'
import { keepRevocationMs } from '../../../src/employees/revocations.ts'
import { checkSessionSql, findByNameSql } from '../../../src/employees/statements.ts'
import { lookupNames } from '../../../src/employees/user-names.ts'
import { endSessions } from '../../../src/operator/administration.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { dialects, migrate, openDatabase } from '../support/databases.ts'
import { candidate, type InProcess, providerOf, startInProcess, storeOfOne } from '../support/in-process.ts'

describe.each(dialects)('employees in %s', async dialect => {
  const { store, employees, close } = await openDatabase(dialect)
  afterAll(close)
  await migrate(store)
  await store.query(
    "INSERT INTO employees (id, user_name, is_active, is_admin) VALUES ('7', 'Ada', true, false), ('8', 'Bob', false, true)",
  )

  it('are found by name in any ASCII case, with their bindings', async () => {
    const ada = { id: '7', userName: 'Ada', isActive: true, isAdmin: false }
    expect(await employees.findByName(lookupNames('ADA'), 'D7', 'ADA')).toEqual([
      { ...ada, sharesId: false, boundTo: null, askerBoundTo: null, lastEndedAt: null },
    ])
    expect(await employees.findByName(lookupNames('nobody'), 'D7', 'nobody')).toEqual([])
    expect(await employees.bind('7', 'D7', 1)).toBe(true)
    expect(await employees.findByName(lookupNames('ada'), 'D7', 'ada')).toEqual([
      { ...ada, sharesId: false, boundTo: 'D7', askerBoundTo: '7', lastEndedAt: null },
    ])
    expect(await employees.findByName(lookupNames('bob'), 'D7', 'bob')).toMatchObject([
      { boundTo: null, askerBoundTo: '7' },
    ])
  })

  it('can be bound to one account each, and accounts to one employee', async () => {
    expect(await employees.bind('7', 'D9', 1)).toBe(false)
    expect(await employees.bind('8', 'D7', 1)).toBe(false)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => employees.bind('8', `E${index}`, 1)),
    )
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  it('are returned with a session as they are now, and whether it is revoked', async () => {
    const open = { sharesId: false, sessionEnded: false, employeeEnded: false, boundTo: null }
    const [binding] = await store.query("SELECT directory_id FROM homeport_bindings WHERE employee_id = '8'")
    expect(await employees.checkSession('s1', '8', 100)).toEqual({
      employee: { id: '8', userName: 'Bob', isActive: false, isAdmin: true },
      ...open,
      boundTo: binding?.['directory_id'],
    })
    await employees.endSession('s1', 200, 5000)
    await employees.endSession('s1', 201, 5000)
    expect((await employees.checkSession('s1', '8', 100)).sessionEnded).toBe(true)
    expect((await employees.checkSession('s2', '8', 100)).sessionEnded).toBe(false)
    expect(await employees.checkSession('s2', '99', 100)).toEqual({ employee: null, ...open })
  })

  it('can have all sessions revoked, each time later than before, whatever the clocks say', async () => {
    const ended = async (endsFrom: number) =>
      (await employees.checkSession('s9', '7', endsFrom)).employeeEnded
    const last = async () => (await employees.findByName(['ada'], 'D7', 'ada'))[0]?.lastEndedAt
    expect([await ended(0), await last()]).toEqual([false, null])
    await employees.endEmployeeSessions('7', 300, 9000)
    expect([await ended(300), await ended(301), await last()]).toEqual([true, false, 300])
    for (const [{ sql, values }, at] of [
      [endSessions('7', 200), 301],
      [endSessions('7', 400), 400],
    ] as const) {
      await store.query(sql, values)
      expect(await last()).toBe(at)
    }
    await employees.endEmployeeSessions('7', 200, 8000)
    expect([await ended(401), await ended(402), await last()]).toEqual([true, false, 401])
    const [kept] = await store.query(
      "SELECT keep_until FROM homeport_ended_sessions WHERE subject = 'employee:7'",
    )
    expect(Number(kept?.['keep_until'])).toBe(400 + keepRevocationMs)
    await store.query("DELETE FROM homeport_ended_sessions WHERE subject = 'employee:7'")
  })

  it('are found by their exact name among many in other cases', async () => {
    const variants = Array.from({ length: 40 }, (_, index) =>
      Array.from('variants', (letter, bit) => ((index >> bit) & 1 ? letter.toUpperCase() : letter)).join(''),
    )
    const last = variants.at(-1) ?? ''
    await store.query('DROP INDEX employees_user_name')
    const rows = variants.map(name => `('${name}', '${name}')`)
    await store.query(`INSERT INTO employees (id, user_name) VALUES ${rows.join()}`)
    const [first, ...others] = await employees.findByName(lookupNames(last), 'D', last)
    expect(first?.userName).toBe(last)
    expect(others).toHaveLength(9)
    await store.query("DELETE FROM employees WHERE lower(user_name) = 'variants'")
    await store.query('CREATE UNIQUE INDEX employees_user_name ON employees (lower(user_name))')
  })

  it('need one indexed read for a check, and one for a sign-in', async () => {
    // Its tables have too few rows for an index.
    if (dialect === 'postgres') await store.query('SET enable_seqscan = off')
    async function explain(sql: string, ...values: string[]) {
      const filled = sql.replace(/\$(\d)/g, (_, number) => values[Number(number) - 1] ?? '')
      const rows = await store.query(`EXPLAIN ${dialect === 'd1' ? 'QUERY PLAN' : ''} ${filled}`)
      return rows.map(row => Object.values(row).join(' ')).join('\n')
    }
    const check = await explain(checkSessionSql(dialect), "'7'", "'session:s'", "'employee:7'")
    const find = await explain(findByNameSql(dialect, 2), "'D'", "'Ada'", "'ada'", "'bob'")
    for (const plan of [check, find]) {
      expect(plan).toMatch(/index/i)
      expect(plan).not.toMatch(/Seq Scan|SCAN [ebo]\b|SCAN homeport/)
    }
  })

  it('report an unreadable table as a failure, and do not retry', async () => {
    await store.query('ALTER TABLE employees RENAME TO away')
    const asked = [() => employees.findByName(['ada'], 'D', 'ada'), () => employees.checkSession('s', '7', 0)]
    for (const ask of asked) await expect(ask()).rejects.toBeInstanceOf(StoreFailure)
    expect(await employees.check()).toMatchObject([{ code: 'employees-missing', usable: false }])
    await store.query('ALTER TABLE away RENAME TO employees')
    expect(await employees.check()).toEqual([])
  })

  it('are found by their own name even if the store cannot fold its letters', async () => {
    const composed = ['Иванов', 'ΝΊΚΟΣ', 'STRAẞE', 'Đặng.Hữu.Phước', 'İlker', 'ıssız.İ', 'Ångström']
    for (const userName of [...composed, 'Ångström'.normalize('NFD')]) {
      await store.query(`INSERT INTO employees (id, user_name) VALUES ('id', $1)`, [userName])
      const found = await employees.findByName(lookupNames(userName), 'D', userName)
      expect(found.map(employee => employee.userName)).toContain(userName)
      await store.query("DELETE FROM employees WHERE id = 'id'")
    }
  })

  describe('in a view of HR’s', async () => {
    const { store, employees, close } = await openDatabase(dialect)
    afterAll(close)
    async function show(columns: string, view: string) {
      for (const dropped of ['VIEW IF EXISTS employees', 'TABLE IF EXISTS hr'])
        await store.query(`DROP ${dropped}`)
      await store.query(`CREATE TABLE hr (${columns})`)
      await store.query(`CREATE VIEW employees AS SELECT ${view} FROM hr`)
    }
    const shown = 'login AS user_name, works AS is_active, boss AS is_admin'

    it('can have any id type and padded names', async () => {
      const id = '9007199254740993'
      const isTrue = dialect === 'postgres' ? ' = 1' : ''
      await show(
        'number BIGINT PRIMARY KEY, login CHAR(20), works INTEGER, boss INTEGER',
        `number AS id, ${shown.replaceAll(' AS is', `${isTrue} AS is`)}`,
      )
      await store.query(`INSERT INTO hr VALUES (${id}, 'Grace', 1, 1)`)
      await migrate(store)
      const grace = { id, userName: 'Grace', isActive: true, isAdmin: true }
      expect(await employees.findByName(['grace'], 'D', 'grace')).toMatchObject([grace])
      expect(await employees.bind(id, 'D', 1)).toBe(true)
      expect(await employees.checkSession('s', id, 1)).toMatchObject({ employee: grace, boundTo: 'D' })
      expect(await employees.check()).toMatchObject([{ code: 'index-missing', usable: true }])
      await store.query('CREATE INDEX hr_login ON hr (lower(login))')
      expect(await employees.check()).toEqual([])
    })

    describe('that keeps no id unique', () => {
      const [number, type] = dialect === 'postgres' ? ['7.0', 'NUMERIC'] : ["'7'", '']
      beforeAll(() => show(`id ${type}, login VARCHAR(40), works BOOLEAN, boss BOOLEAN`, `id, ${shown}`))

      async function found(...records: readonly string[]) {
        await store.query('DELETE FROM hr')
        await store.query(`INSERT INTO hr VALUES (${records.join('), (')})`)
        const candidates = await employees.findByName(['alice'], 'D', 'alice')
        const session = await employees.checkSession('s', '7', 0)
        return {
          names: candidates.map(({ userName }) => userName),
          shares: [...candidates.map(({ sharesId }) => sharesId), session.sharesId],
          ids: await employees.findSharedIds(),
        }
      }
      const alice = "'7', 'alice', true, false"

      it('are one record for any number of rows that are equal in every field', async () => {
        const nobody = "'7', 'alice', NULL, NULL"
        for (const record of [alice, nobody]) {
          expect(await found(...Array.from({ length: 25 }, () => record))).toEqual({
            names: ['alice'],
            shares: [false, false],
            ids: [],
          })
        }
      })

      it.each([
        ['a name', "'7', 'alice-adm', true, false", 1],
        ['a missing name', "'7', NULL, true, false", 1],
        ['a name’s case', "'7', 'Alice', true, false", 2],
        ['being active', "'7', 'alice', false, false", 2],
        ['a missing flag', "'7', 'alice', true, NULL", 2],
        ['being an administrator', "'7', 'alice', true, true", 2],
        ['the form of the id', `${number}, 'bob', true, true`, 1],
      ])('share an id if the rows differ in %s, whichever comes first', async (_, other, names) => {
        for (const records of [
          [alice, other],
          [other, alice],
        ]) {
          const { shares, ids } = await found(...records, alice)
          expect(shares).toEqual(Array.from({ length: names + 1 }, () => true))
          expect(ids).toEqual(['7'])
        }
      })
    })
  })
})

describe('employees in PostgreSQL who sign in at the same time', async () => {
  const database = await openDatabase('postgres')
  afterAll(database.close)
  await migrate(database.store)
  await database.store.query("INSERT INTO employees (id, user_name) VALUES ('1', 'ada')")
  beforeEach(() => database.store.query('DELETE FROM homeport_bindings'))
  const key = createSessionKey(new Date())

  const start = (account = 'D1', employees: EmployeeStore = database.employees) =>
    startInProcess({ SESSION_KEYS: key }, employees, providerOf({ id: account }))
  async function signIn(app: InProcess) {
    const signedIn = await app.signIn()
    return { ...signedIn, body: await signedIn.answer.json() }
  }
  const statusOf = async (app: InProcess, cookie: string) => (await app.call('/api/session', cookie)).status

  it.each([45_000, -45_000])(
    'are signed out by logout-all on a machine whose clock is wrong by %i ms, and the next sign-in counts',
    async offset => {
      const [right, wrong] = [start(), start()]
      wrong.now += offset
      for (let again = 0; again < 2; again += 1) {
        const [elsewhere, own] = [await signIn(right), await signIn(wrong)]
        expect((await wrong.send('/api/auth/logout-all', own.session)).status).toBe(204)
        for (const { session } of [elsewhere, own]) expect(await statusOf(right, session)).toBe(401)
        const { session } = await signIn(right)
        expect([await statusOf(right, session), await statusOf(wrong, session)]).toEqual([200, 200])
        right.now += 1000
        wrong.now += 1000
      }
    },
  )

  it('are signed out if an operator ends their sessions meanwhile', async () => {
    await database.store.query('DELETE FROM homeport_ended_sessions')
    const app: InProcess = start('D1', {
      ...database.employees,
      async findByName(...asked) {
        const found = await database.employees.findByName(...asked)
        const { sql, values } = endSessions('1', app.now - 60_000)
        await database.store.query(sql, values)
        return found
      },
    })
    const { answer, session } = await signIn(app)
    expect([answer.status, await statusOf(app, session)]).toEqual([200, 401])
  })

  /** Signs in two accounts, which both look up the employee before either binds. */
  async function race(...accounts: readonly string[]) {
    const both = Promise.withResolvers<void>()
    let looks = 0
    const employees: EmployeeStore = {
      ...database.employees,
      async findByName(...asked) {
        const found = await database.employees.findByName(...asked)
        looks += 1
        if (looks === 2) both.resolve()
        await both.promise
        return found
      },
    }
    const apps = accounts.map(account => start(account, employees))
    const ended = await Promise.all(apps.map(async app => ({ app, ...(await signIn(app)) })))
    // The slower sign-in looks the employee up again after it fails to bind.
    expect(looks).toBe(3)
    return ended
  }

  it('are signed in twice if both are the same account', async () => {
    for (const { answer, body, session } of await race('D1', 'D1')) {
      expect([answer.status, body]).toEqual([
        200,
        { user: { username: 'ada', resourceId: '1', isAdmin: false } },
      ])
      expect(session).toMatch(/^__Host-homeport-session=./)
    }
  })

  it('are kept from the slower of two accounts, with identity-changed', async () => {
    const [winner, loser] = (await race('D1', 'D2')).sort((a, b) => a.answer.status - b.answer.status)
    expect(winner?.answer.status).toBe(200)
    expect(loser?.body).toMatchObject({ code: 'identity-changed', status: 401 })
    expect(loser?.session).not.toContain('session=')
    expect(loser?.app.logged.at(-1)).toMatchObject({ employeeId: '1', security: true })
    expect(await database.store.query('SELECT * FROM homeport_bindings')).toHaveLength(1)
  })

  it('are nobody for an id that the view’s new type cannot hold, and the others are served', async () => {
    const { store, employees } = database
    await store.query("INSERT INTO employees (id, user_name) VALUES ('E1', 'eve'), ('7', 'bob')")
    await store.query('ALTER TABLE employees RENAME TO hr')
    async function show(id: string) {
      await store.query('DROP VIEW IF EXISTS employees')
      await store.query(`CREATE VIEW employees AS SELECT ${id} AS id, user_name, is_active, is_admin FROM hr`)
    }
    const check = (id: string) => employees.checkSession('s', id, 0)
    await show('id')
    expect((await check('E1')).employee?.userName).toBe('eve')
    await show('char_length(id)::bigint')
    const gone = ['E1', '99999999999999999999999999', 'Infinity-']
    for (const one of gone)
      expect(await check(one), one).toMatchObject({ employee: null, employeeEnded: false })
    const [{ id: known } = { id: '' }] = await employees.findByName(['eve'], 'D', 'eve')
    // One statement reads the sessions that are checked at the same time.
    const [served, ...others] = await Promise.all([known, ...gone].map(check))
    expect(served?.employee?.userName).toBe('eve')
    expect(others.map(({ employee }) => employee)).toEqual([null, null, null])
  })
})

it('refuses an account that could not be bound, although nobody else is bound', async () => {
  const unbound = { ...candidate, boundTo: null, askerBoundTo: null }
  const app = startInProcess({}, { ...storeOfOne, findByName: async () => [unbound] })
  const { answer, session } = await app.signIn()
  expect(await answer.json()).toMatchObject({ code: 'identity-changed', status: 401 })
  expect(session).not.toContain('session=')
})
