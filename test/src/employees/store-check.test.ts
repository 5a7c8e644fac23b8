import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresEmployeeStore } from '../../../src/node/postgres/employees.ts'
import { createPool } from '../../../src/node/postgres/pool.ts'
import { createRole, type Database, dialects, openDatabase } from '../support/databases.ts'
import { startInProcess } from '../support/in-process.ts'
import { runEmployees } from '../support/operator.ts'

describe.each(dialects)('employees check with %s', dialect => {
  let database: Database
  beforeAll(async () => {
    database = await openDatabase(dialect)
  })
  afterAll(() => database?.close())
  // As if it were new.
  afterEach(async () => {
    const own = ['bindings', 'ended_sessions', 'audit', 'migrations'].map(name => `TABLE homeport_${name}`)
    const given = ['MATERIALIZED VIEW employees', 'VIEW employees', 'TABLE employees', 'TABLE people']
    for (const made of [...own, ...given]) await database.store.query(`DROP ${made}`).catch(() => undefined)
  })
  const check = () => runEmployees(database.env, 'check')
  async function run(statements: readonly string[]) {
    for (const statement of statements) await database.store.query(statement)
  }
  const codes = async () => (await database.employees.check()).map(({ code }) => code)

  it('reports an empty database, and nothing after migrate', async () => {
    const empty = await check()
    expect(empty).toMatchObject({ status: 1, problem: expect.stringMatching(/ has 2 problems\.$/) })
    expect(empty.out).toMatch(/no table or view employees[\s\S]*no homeport_bindings and no homeport_ended/)
    expect((await database.employees.check())[0]).toMatchObject({ code: 'employees-missing', usable: false })
    const existing = await runEmployees(database.env, 'migrate', '--existing-employees')
    expect(existing).toMatchObject({
      status: 1,
      problem: expect.stringContaining('no table or view employees('),
    })
    await runEmployees(database.env, 'migrate')
    expect(await check()).toMatchObject({ status: 0, out: expect.stringContaining('`employees add NAME`') })
    await runEmployees(database.env, 'add', 'ada')
    expect(await check()).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^1 employee, 1 active, 0 administrators\.\n\S.* can be used\.$/),
    })
    expect(await codes()).toEqual([])
  })

  it.each(['table', 'view', ...(dialect === 'postgres' ? ['materialized view'] : [])])(
    'names what is wrong with a %s of HR with Y and N, without an administrator column',
    async kind => {
      const table = kind === 'table' ? 'employees' : 'people'
      await run([
        `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, user_name VARCHAR(40), is_active CHAR(1))`,
        `INSERT INTO ${table} VALUES (1, 'ada', 'Y'), (2, 'bob', 'N')`,
        `CREATE INDEX people_name ON ${table} (lower(user_name))`,
        ...(kind === 'table'
          ? []
          : [`CREATE ${kind} employees AS SELECT id, user_name, is_active FROM people`]),
      ])
      const broken = await check()
      expect(broken.status).toBe(1)
      expect(broken.out).toContain('employees has no column is_admin. Add it, in a view such as')
      expect(broken.out).toMatch(
        /employees\.is_active holds "[YN]", which is not boolean and counts as false\. In a view, write/,
      )
      expect(broken.out).not.toContain('index')
      expect(await codes()).toEqual(['column-missing', 'flag-not-boolean', 'not-migrated'])
    },
  )

  it('takes every flag that the handler reads, and no names that are numbers', async () => {
    await run([
      'CREATE TABLE employees (id TEXT, user_name INTEGER, is_active TEXT, is_admin TEXT)',
      "INSERT INTO employees VALUES ('1', 1, 'true', '1'), ('2', 2, 'false', '0'), ('3', 3, 't', 'f'), ('4', 4, NULL, NULL)",
    ])
    expect(await codes()).toEqual(['name-not-text', 'not-migrated'])
  })

  it('names ids that different records share, names that let nobody in, and no record twice', async () => {
    await run([
      'CREATE TABLE people (id INTEGER, user_name VARCHAR(40), is_active BOOLEAN, is_admin BOOLEAN)',
      "INSERT INTO people VALUES (7, 'alice-adm', true, true), (7, 'alice', true, false)",
      "INSERT INTO people VALUES (8, 'bob', true, false), (8, 'bob', true, false)",
      'CREATE VIEW employees AS SELECT * FROM people',
    ])
    await runEmployees(database.env, 'migrate')
    const shared = await check()
    expect(shared).toMatchObject({ status: 1, problem: expect.stringMatching(/ has 1 problem\.$/) })
    expect(shared.out).toContain(
      'employees has different records with the same id: 7. Nobody whose record shares an id can sign in.',
    )
    await run(["DELETE FROM people WHERE user_name = 'alice-adm'"])
    await run([
      "INSERT INTO people VALUES (1, 'eve@example.com', true, false), (2, '', true, false), (9, 'BOB', true, false)",
    ])
    const { status, out } = await check()
    expect(status).toBe(0)
    expect(out).toContain('Nobody can sign in as eve@example.com (1), (no user name) (2): Use the part of')
    expect(out).toContain(
      'Some names differ at most in case or in the composition of accents: bob (8), BOB (9).',
    )
  })

  it('counts employees without naming them, and says why nobody can sign in, and which index is missing', async () => {
    const flag = dialect === 'postgres' ? 'BOOLEAN' : 'INTEGER'
    await run([
      `CREATE TABLE employees (id TEXT PRIMARY KEY, user_name TEXT, is_active ${flag}, is_admin ${flag})`,
    ])
    await runEmployees(database.env, 'migrate', '--existing-employees')
    const [, index = ''] =
      /has no index on lower\(user_name\), .* Run (CREATE INDEX .*;)\n?/.exec((await check()).out) ?? []
    await run([index])
    expect((await runEmployees(database.env, 'add', 'ada')).problem).toContain('does not write')
    expect(await check()).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^0 employees, 0 active, 0 administrators\.\nNobody can sign in: /),
    })
    await run([
      "INSERT INTO employees VALUES ('1', 'ada@example.com', true, true), ('2', 'bob', NULL, false), ('3', 'eve', false, false)",
    ])
    expect(await check()).toMatchObject({
      status: 1,
      out: expect.stringMatching(
        /^3 employees, 1 active, 1 administrator\. 1 without is_active .* 1 with an @ .*\.\nNobody can sign in: /,
      ),
    })
    await run(["INSERT INTO employees VALUES ('4', 'eve', true, false)"])
    const { status, out } = await check()
    expect([status, out]).toEqual([1, expect.stringMatching(/same user_name, .*: ids 3, 4\. Give/)])
    expect(out).not.toMatch(/Nobody can sign in: |Some names differ/)
  })
})

describe('employees check with PostgreSQL', async () => {
  const database = await openDatabase('postgres')
  afterAll(database.close)
  beforeAll(async () => {
    await runEmployees(database.env, 'migrate')
    await runEmployees(database.env, 'add', 'ada')
  })

  it('names the grants that a role lacks, without which nobody can sign in', async () => {
    const { url } = await createRole(database)
    const pool = createPool(url)
    const employees = createPostgresEmployeeStore(pool)
    const { status, out } = await runEmployees({ DATABASE_URL: url }, 'check')
    expect(status).toBe(1)
    const lacking = [
      ...out.matchAll(/^\S+ lacks (.*) on (\w+)\. As the owner of the table, run (GRANT .*;)$/gm),
    ]
    expect(lacking.map(([, privileges, table]) => [table, privileges])).toEqual([
      ['employees', 'SELECT'],
      ['homeport_bindings', 'SELECT, INSERT'],
      ['homeport_ended_sessions', 'SELECT, INSERT, UPDATE, DELETE'],
    ])
    expect((await employees.check()).map(({ code, usable }) => [code, usable])).toEqual(
      lacking.map(() => ['not-granted', false]),
    )
    for (const [, , , grant = ''] of lacking) await database.store.query(grant)
    expect(await employees.check()).toEqual([])
    await employees.endSession('s', 1, 2)
    expect(await employees.bind('1', 'd', 1)).toBe(true)
    // It cannot read which migrations ran.
    expect(await runEmployees({ DATABASE_URL: url }, 'check')).toMatchObject({ status: 0 })
    await pool.end()
  })

  it('finds a database that is a standby or became read-only, in which pages that are open go on', async () => {
    const name = new URL(database.env['DATABASE_URL'] ?? '').pathname.slice(1)
    for (const [sql, message] of [
      // Stands for a standby: PostgreSQL looks for functions in the first schema first.
      [
        "CREATE FUNCTION pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'; ALTER DATABASE NAME SET search_path = public, pg_catalog",
        /is a standby, .* the primary/,
      ],
      [
        'ALTER DATABASE NAME RESET search_path; ALTER DATABASE NAME SET default_transaction_read_only = on',
        /is read-only, .* sign in or out/,
      ],
    ] as const) {
      for (const statement of sql.replaceAll('NAME', name).split('; ')) await database.store.query(statement)
      const { status, out } = await runEmployees(database.env, 'check')
      expect([status, out]).toEqual([1, expect.stringMatching(message)])
    }
    const app = startInProcess({}, database.employees)
    const health = await app.call('/healthz')
    expect([health.status, await health.json()]).toEqual([200, { status: 'read-only' }])
  })
})
