import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runImport } from '../../../src/operator/import-run.ts'
import { OperatorError, type Statement, type Store } from '../../../src/operator/store.ts'
import { type Database, dialects, openDatabase } from '../support/databases.ts'
import { type LossyStore, openLossyStore } from '../support/lossy-store.ts'
import { runEmployees } from '../support/operator.ts'

interface Audited {
  readonly action: string
  readonly detail: string
  readonly outcome: string | null
}

describe.each(dialects)('the audit in %s', dialect => {
  let database: Database
  let lossy: LossyStore
  let folder: string
  const operate = (...args: string[]) => runEmployees(database.env, ...args)
  const operateLossy = (...args: string[]) => runEmployees(lossy.env, ...args)
  /** Matches what commits a change of employees. */
  const commit =
    dialect === 'postgres' ? /(UPDATE|INSERT INTO) employees[\s\S]*COMMIT/ : /(UPDATE|INSERT INTO) employees/
  /** The same, for the change and not what is recorded before it. */
  const change = /(UPDATE|INSERT INTO) employees/

  beforeAll(async () => {
    database = await openDatabase(dialect)
    lossy = await openLossyStore(database)
    folder = await mkdtemp(join(tmpdir(), 'employees-'))
    await operate('migrate')
  })
  afterEach(() => lossy.recover())
  afterAll(async () => {
    await lossy?.close()
    await database?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const isAdmin = async (id: string) =>
    (await database.employees.checkSession('s', id, 0)).employee?.isAdmin === true

  /** What the audit says of an employee, without the addition. */
  async function auditOf(id: string): Promise<readonly string[]> {
    const all = JSON.parse((await operate('audit', '--json')).out) as (Audited & { employeeId: string })[]
    return all
      .filter(({ employeeId, action }) => employeeId === id && action !== 'add')
      .map(({ action, outcome }) => `${action}: ${outcome}`)
  }

  it('knows a change whose answer was lost', async () => {
    await operate('add', 'eve', '--id', '1')
    lossy.lose(commit, 'answer')
    const lost = await operateLossy('admin', 'eve', 'on')
    expect(await isAdmin('1')).toBe(true)
    expect(await auditOf('1')).toEqual(['admin on: done'])
    expect(lost).toMatchObject({
      status: 0,
      out: 'eve is now an administrator.',
      logged: [{ level: 'info' }],
    })
  })

  it('calls a change unknown that was lost on its way, and leaves it so', async () => {
    await operate('add', 'gus', '--id', '3')
    lossy.lose(change, 'request', 'forever')
    expect((await operateLossy('admin', 'gus', 'on')).status).toBe(1)
    expect(await isAdmin('3')).toBe(false)
    expect((await operate('list')).status).toBe(0)
    expect((await operate('audit')).out).toMatch(/^\S+Z\t[^\t]+\tadmin on\t3\tgus\tunknown\n/)
  })

  it('records as not done what the store refused or never got, if it answers', async () => {
    await operate('add', 'ian', '--id', '4')
    lossy.lose(change, 'request')
    expect(await operateLossy('admin', 'ian', 'on')).toMatchObject({ status: 1, logged: [] })
    expect(await auditOf('4')).toEqual(['admin on: not done'])
    await database.store.query('ALTER TABLE homeport_ended_sessions RENAME TO away')
    const refused = await operate('deactivate', 'ian')
    await database.store.query('ALTER TABLE away RENAME TO homeport_ended_sessions')
    expect(refused).toMatchObject({ status: 1, problem: expect.stringContaining('homeport_ended_sessions') })
    expect((await database.employees.checkSession('s', '4', 0)).employee?.isActive).toBe(true)
    expect(await auditOf('4')).toContain('deactivate: not done')
  })

  it('knows an import whose answer was lost', async () => {
    await operate('add', 'kim', '--id', '6')
    const file = join(folder, 'staff.csv')
    await writeFile(file, 'id,user_name,is_active\n20,mia,true\n6,kim,false\n')
    lossy.lose(commit, 'answer', 'forever')
    expect((await operateLossy('import', file)).status).toBe(1)
    expect((await database.employees.checkSession('s', '6', 0)).employee?.isActive).toBe(false)
    expect(await auditOf('20')).toEqual(['import add: done'])
    expect(await auditOf('6')).toContain('import update: done')
  })

  it.each(['done', 'not done'])('records a change as %s that arrives after the command ended', async made => {
    const id = made === 'done' ? '21' : '22'
    const { store } = database
    let late: readonly Statement[] = []
    const losing: Store = {
      ...store,
      async query(sql, values) {
        if (made === 'done' && sql.includes("SET outcome = 'not done'")) throw new OperatorError('No answer.')
        return store.query(sql, values)
      },
      async transaction(statements) {
        if (!statements.some(({ sql }) => change.test(sql))) return store.transaction(statements)
        late = statements
        throw new OperatorError('No answer.')
      },
    }
    const recorder = { store: losing, operator: 'grace', now: Date.now, log: () => undefined }
    const pia = { id, userName: `pia${id}`, isActive: true, isAdmin: true, kind: 'add', detail: '' } as const
    await expect(runImport(recorder, [pia])).rejects.toThrow(
      made === 'done' ? 'It is unknown' : /^No answer\.$/,
    )
    const arrived = await store.transaction(late).then(
      () => 'done',
      () => 'not done',
    )
    expect(arrived).toBe(made)
    expect(await auditOf(id)).toEqual([`import add: ${made}`])
    expect(await isAdmin(id)).toBe(made === 'done')
  })

  if (dialect === 'postgres') {
    it('can be read by a role that cannot write', async () => {
      const role = `reader_${randomUUID().replaceAll('-', '')}`
      await database.store.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`)
      await database.store.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
      await operate('add', 'ned', '--id', '8')
      lossy.lose(change, 'request', 'forever')
      await operateLossy('admin', 'ned', 'on')
      const url = Object.assign(new URL(database.env['DATABASE_URL'] ?? ''), {
        username: role,
        password: 'x',
      })
      const read = (...args: string[]) => runEmployees({ DATABASE_URL: url.href }, ...args)
      expect((await read('audit')).out).toMatch(/\tned\tunknown\n/)
      await database.store.query(`REVOKE SELECT ON homeport_audit_outcomes FROM ${role}`)
      expect((await read('list')).status).toBe(0)
      expect(await read('audit')).toMatchObject({
        status: 1,
        problem: expect.stringContaining('homeport_audit_outcomes'),
      })
    })
  }
})
