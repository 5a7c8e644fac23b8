import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createPostgresEmployeeStore } from '../../../src/employees/postgres.ts'
import { createPool } from '../../../src/employees/postgres-pool.ts'
import { judgeStore, type StoreFacts } from '../../../src/employees/store-check.ts'
import { runEmployeesCommand } from '../../../src/operator/cli.ts'
import { openPostgresStore } from '../../../src/operator/postgres-store.ts'
import { repairStore } from '../../../src/operator/store-repair.ts'
import { type Database, dialects, openDatabase } from '../support/databases.ts'

async function check(env: Readonly<Record<string, string>>) {
  const lines: string[] = []
  let problem = ''
  const status = await runEmployeesCommand(['check'], env, {
    line: text => void lines.push(text),
    problem: text => {
      problem = text
    },
    log: () => undefined,
  })
  const [problems = '', sql = ''] = lines.join('\n').split('-- SQL that repairs this:\n')
  const statements = sql.split(/;$/m).filter(text => text.trim() !== '' && !/can be used/.test(text))
  return { status, problems, problem, statements }
}

describe.each(dialects)('employees check with %s', dialect => {
  let database: Database
  const opened: Database[] = []
  // At the end, so that the D1 databases share one workerd.
  afterAll(() => Promise.all(opened.map(one => one.close())))
  beforeEach(async () => {
    database = await openDatabase(dialect)
    opened.push(database)
  })
  const run = (statements: readonly string[]) =>
    statements.reduce<Promise<unknown>>(
      (before, statement) => before.then(() => database.store.query(statement)),
      Promise.resolve(),
    )
  /** Connects again, as a restarted handler would, and checks. */
  async function checkedByHandler() {
    if (dialect === 'd1') return database.employees.check()
    const pool = createPool(database.env['DATABASE_URL'] ?? '')
    try {
      return await createPostgresEmployeeStore(pool).check()
    } finally {
      await pool.end()
    }
  }

  it('reports an empty database, and nothing after migrate', async () => {
    const empty = await check(database.env)
    expect(empty).toMatchObject({ status: 1, problem: expect.stringMatching(/ has 5 problems\.$/) })
    expect(empty.problems).toMatch(
      /no table or view employees[\s\S]*no homeport_bindings and no homeport_ended/,
    )
    expect((await checkedByHandler())[0]).toMatchObject({ code: 'employees-missing', usable: false })
    await runEmployeesCommand(['migrate'], database.env, {
      line: () => undefined,
      problem: () => undefined,
      log: () => undefined,
    })
    expect(await check(database.env)).toMatchObject({ status: 0, statements: [] })
    expect(await checkedByHandler()).toEqual([])
  })

  it.each(['table', 'view', ...(dialect === 'postgres' ? ['materialized view'] : [])])(
    'repairs a %s of HR with Y and N, without an administrator column',
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
      const broken = await check(database.env)
      expect(broken.status).toBe(1)
      expect(broken.problems).toContain('employees has no column is_admin.')
      expect(broken.problems).toMatch(
        /employees\.is_active holds "[YN]", which is not boolean and counts as false\./,
      )
      await run(broken.statements)
      expect(await checkedByHandler()).toEqual([])
      // HR's own table is unchanged.
      const rows = await database.store.query(
        `SELECT is_active FROM ${kind === 'view' ? 'people' : dialect === 'd1' ? 'hr_employees' : 'public.employees'} ORDER BY id`,
      )
      expect(rows).toEqual([{ is_active: 'Y' }, { is_active: 'N' }])
      const env = database.env
      const lines: string[] = []
      await runEmployeesCommand(['list'], env, {
        line: text => void lines.push(text),
        problem: text => void lines.push(text),
        log: () => undefined,
      })
      expect(lines.slice(0, 2)).toEqual(['ada\t1\tactive\tnot bound', 'bob\t2\tinactive\tnot bound'])
    },
  )

  it('names ids that different records share, and no record twice that a JOIN doubles', async () => {
    await run([
      'CREATE TABLE people (id INTEGER, user_name VARCHAR(40), is_active BOOLEAN, is_admin BOOLEAN)',
      "INSERT INTO people VALUES (7, 'alice-adm', true, true), (7, 'alice', true, false)",
      "INSERT INTO people VALUES (8, 'bob', true, false), (8, 'bob', true, false)",
      'CREATE VIEW employees AS SELECT * FROM people',
    ])
    await runEmployeesCommand(['migrate'], database.env, {
      line: () => undefined,
      problem: () => undefined,
      log: () => undefined,
    })
    const shared = await check(database.env)
    expect(shared).toMatchObject({ status: 1, problem: expect.stringMatching(/ has 1 problem\.$/) })
    expect(shared.problems).toContain(
      'employees has different records with the same id: 7. Nobody whose record shares an id can sign in.',
    )
    await run(["DELETE FROM people WHERE user_name = 'alice-adm'"])
    expect((await check(database.env)).status).toBe(0)
  })

  it('warns of a missing index, without which people can still sign in', async () => {
    const flag = dialect === 'postgres' ? 'BOOLEAN' : 'INTEGER'
    await run([
      `CREATE TABLE employees (id TEXT PRIMARY KEY, user_name TEXT, is_active ${flag}, is_admin ${flag})`,
    ])
    const before = await check(database.env)
    expect(before.problems).toContain('employees has no index on lower(user_name)')
    await run(before.statements)
    expect(await check(database.env)).toMatchObject({ status: 0, problem: '' })
  })
})

describe('employees check with a role of PostgreSQL that lacks grants', () => {
  it('prints the grants, which repair it', async () => {
    const database = await openDatabase('postgres')
    const role = `handler_${randomBytes(4).toString('hex')}`
    const run = (sql: string) => database.store.query(sql)
    const url = new URL(database.env['DATABASE_URL'] ?? '')
    try {
      await runEmployeesCommand(['migrate'], database.env, {
        line: () => undefined,
        problem: () => undefined,
        log: () => undefined,
      })
      await run(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
      await run('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
      url.username = role
      url.password = 'secret'
      const pool = createPool(url.href)
      const employees = createPostgresEmployeeStore(pool)
      const problems = await employees.check()
      expect(problems.map(({ code, usable }) => [code, usable])).toEqual([
        ['not-granted', false],
        ['not-granted', false],
        ['not-granted', false],
      ])
      const { statements } = await check({ DATABASE_URL: url.href })
      expect(statements).toContain(`GRANT SELECT ON employees TO ${role}`)
      for (const sql of statements) await run(sql)
      expect(await employees.check()).toEqual([])
      await employees.endSession('s', 1, 2)
      expect(await employees.bind('1', 'd', 1)).toBe(true)
      await pool.end()
      // Without the tables, migrate needs the right to create them.
      await run(
        'DROP TABLE homeport_bindings, homeport_ended_sessions, homeport_audit, homeport_import, homeport_audit_outcomes',
      )
      await run('DROP TABLE homeport_migrations')
      const unmigrated = await check({ DATABASE_URL: url.href })
      expect(unmigrated.statements[0]).toBe(`GRANT CREATE ON SCHEMA public TO ${role}`)
      await run(unmigrated.statements[0] ?? '')
      const store = openPostgresStore(url.href)
      for (const statement of unmigrated.statements.slice(1)) await store.query(statement)
      await store.close()
    } finally {
      await run(`DROP OWNED BY ${role}`).catch(() => undefined)
      await run(`DROP ROLE IF EXISTS ${role}`).catch(() => undefined)
      await database.close()
    }
  })
})

describe('the judgement of a store', () => {
  const facts: StoreFacts = {
    dialect: 'postgres',
    kind: 'table',
    name: 'public.employees',
    viewQuery: null,
    columns: new Map([
      ['id', 'bigint'],
      ['user_name', 'text'],
      ['is_active', 'boolean'],
      ['is_admin', 'boolean'],
    ]),
    missingTables: [],
    missingGrants: new Map(),
    role: 'handler',
    database: 'people',
    indexes: ['CREATE INDEX x ON public.employees USING btree (lower((user_name)::text))'],
    sources: [],
    flags: { is_active: ['true', 'false', null], is_admin: ['1', '0', 't', 'f'] },
  }

  it('is good for every value that the handler understands', () => {
    expect(judgeStore(facts)).toEqual([])
  })

  it('leaves a placeholder for a column that it cannot guess', () => {
    const other: StoreFacts = {
      ...facts,
      columns: new Map([
        ['id', 'bigint'],
        ['user_name', 'integer'],
      ]),
    }
    const problems = judgeStore(other)
    expect(problems.map(({ code }) => code)).toEqual(['column-missing', 'column-missing', 'name-not-text'])
    expect(repairStore(other, problems).join('\n')).toContain(
      'CAST(user_name AS TEXT) AS user_name,\n  your_column AS is_active,\n  false AS is_admin\nFROM public.employees;',
    )
  })
})
