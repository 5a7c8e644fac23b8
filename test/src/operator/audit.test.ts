import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogEntry } from '../../../src/http/log.ts'
import { setFlag } from '../../../src/operator/administration.ts'
import { record } from '../../../src/operator/audit.ts'
import { OperatorError, type Statement, type Store } from '../../../src/operator/store.ts'
import { createRole, dialects, openDatabase } from '../support/databases.ts'
import { operatorOf, runEmployees } from '../support/operator.ts'

describe.each(dialects)('the audit in %s', async dialect => {
  const database = await openDatabase(dialect)
  afterAll(database.close)
  const { operate, query } = operatorOf(database)

  beforeAll(() => operate('migrate'))

  const employee = async (id: string) => (await database.employees.checkSession('s', id, 0)).employee

  /** What the audit says of an employee's latest change. */
  async function auditOf(id: string): Promise<string> {
    const { out } = await operate('audit')
    return out.match(`\t(?!add\t)([^\t]+)\t${id}\t.*\t(.+)`)?.slice(1).join(': ') ?? ''
  }

  /** Adds an employee and makes them an administrator, by a store that runs a change in its own way. */
  async function promote(id: string, change: Store['transaction'], down = false) {
    await operate('add', `eve${id}`, '--id', id)
    const logged: LogEntry[] = []
    let isDown = false
    const store: Store = {
      ...database.store,
      query: (...parts) => (isDown ? noAnswer() : database.store.query(...parts)),
      transaction(statements) {
        if (!statements.some(({ sql }) => sql.startsWith('UPDATE employees')))
          return database.store.transaction(statements)
        isDown = down
        return change(statements)
      },
    }
    const work = { store, operator: 'grace', now: Date.now, log: (line: LogEntry) => void logged.push(line) }
    const promotion = { action: 'admin on', employeeId: id, detail: 'eve' }
    const made = record(work, [promotion], () => [setFlag(id, 'is_admin', true)])
    const problem = await made.then(() => null, String)
    return { problem, logged: logged.map(({ level, outcome }) => `${level} ${outcome ?? 'done'}`) }
  }
  const noAnswer = () => Promise.reject(new OperatorError('No answer.'))
  let late: readonly Statement[] = []
  const delay: Store['transaction'] = statements => {
    late = statements
    return noAnswer()
  }

  it('knows a change whose answer was lost', async () => {
    const lost = await promote('1', async statements => {
      await database.store.transaction(statements)
      return noAnswer()
    })
    expect(lost).toEqual({ problem: null, logged: ['info done'] })
    expect((await employee('1'))?.isAdmin).toBe(true)
    expect(await auditOf('1')).toBe('admin on: done')
  })

  it('calls a change unknown after which the store is away, even if it then arrives', async () => {
    expect(await promote('2', delay, true)).toEqual({
      problem: expect.stringMatching(/^OperatorError: No answer\. It is unknown .* Run `audit` and `list`/),
      logged: ['warning unknown'],
    })
    expect((await operate('list')).status).toBe(0)
    expect((await operate('audit')).out).toMatch(/^\S+Z\tgrace\tadmin on\t2\teve\tunknown\n/)
    await database.store.transaction(late)
    expect(await auditOf('2')).toBe('admin on: done')
  })

  it('records as not done what the store never got, and keeps it from arriving late', async () => {
    expect(await promote('3', delay)).toEqual({ problem: 'OperatorError: No answer.', logged: [] })
    await expect(database.store.transaction(late)).rejects.toThrow()
    expect((await employee('3'))?.isAdmin).toBe(false)
    expect(await auditOf('3')).toBe('admin on: not done')
  })

  it('records as not done what the store refused, and changes nothing of it', async () => {
    await operate('add', 'ian', '--id', '4')
    await query('ALTER TABLE homeport_ended_sessions RENAME TO away')
    const refused = await operate('deactivate', 'ian')
    await query('ALTER TABLE away RENAME TO homeport_ended_sessions')
    expect(refused).toMatchObject({ status: 1, problem: expect.stringContaining('homeport_ended_sessions') })
    expect((await employee('4'))?.isActive).toBe(true)
    expect(await auditOf('4')).toBe('deactivate: not done')
  })

  if (dialect === 'postgres') {
    it('can be read by a role that cannot write', async () => {
      const { name, url } = await createRole(database)
      const env = { DATABASE_URL: url }
      await query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`)
      expect((await runEmployees(env, 'audit')).out).toMatch(/\tadd\t1\t/)
      await query(`REVOKE SELECT ON homeport_audit_outcomes FROM ${name}`)
      expect((await runEmployees(env, 'list')).status).toBe(0)
      expect(await runEmployees(env, 'audit')).toMatchObject({
        status: 1,
        problem: expect.stringContaining('homeport_audit_outcomes'),
      })
    })
  }
})
