import { checkSample, type EmployeeStore, fromStore } from '../../employees/employee-store.ts'
import { employeeRevocation, sessionRevocation } from '../../employees/revocations.ts'
import { readCandidate, readIds } from '../../employees/rows.ts'
import { sharedIdsSql } from '../../employees/shared-ids.ts'
import { bindSql, endEmployeeSessionsSql, endSessionSql, findByNameSql } from '../../employees/statements.ts'
import type { Result } from './connections.ts'
import { judgePostgres } from './facts.ts'
import type { Pool, PoolQuery } from './pool.ts'
import { createSessionChecks } from './session-checks.ts'

const endExpiredSql = `WITH expired AS (DELETE FROM homeport_ended_sessions WHERE keep_until < $2) ${endSessionSql}`

const harmlessTwice = { repeats: 'write' } as const

/** Opens the employees in PostgreSQL. Each connection plans a statement once. */
export function createPostgresEmployeeStore(pool: Pool): EmployeeStore {
  function run<T>(
    text: string,
    values: readonly unknown[],
    read: (result: Result) => T,
    more: Pick<PoolQuery, 'repeats'> = {},
  ): Promise<T> {
    // Turns errors that the driver throws synchronously into rejections.
    const query = async () => read(await pool.query({ text, values, prepared: true, ...more }))
    return fromStore(query())
  }

  const ask = (text: string, values: readonly unknown[]) =>
    pool.query({ text, values, prepared: true, repeats: 'read' })

  const checkSession = createSessionChecks(pool)

  return {
    findByName: (names, objectId, username) =>
      fromStore(
        ask(findByNameSql('postgres', names.length), [objectId, username, ...names]).then(({ rows }) =>
          rows.map(readCandidate),
        ),
      ),
    bind: (employeeId, objectId, now) =>
      run(bindSql, [employeeId, objectId, now], ({ rowCount }) => rowCount === 1, harmlessTwice),
    checkSession: (sessionId, employeeId, endsFrom) =>
      fromStore(checkSession({ sessionId, employeeId, endsFrom })),
    endSession: (sessionId, now, keepUntil) =>
      run(endExpiredSql, [sessionRevocation(sessionId), now, keepUntil], () => undefined, harmlessTwice),
    endEmployeeSessions: (employeeId, endedAt, keepUntil) =>
      run(endEmployeeSessionsSql, [employeeRevocation(employeeId), endedAt, keepUntil], () => undefined),
    check() {
      const query = async (sql: string) => (await pool.query({ text: sql, repeats: 'read' })).rows
      return fromStore(judgePostgres(query, checkSample))
    },
    // Reads every employee, so it is not sent twice.
    findSharedIds() {
      const query = async () => readIds((await pool.query({ text: sharedIdsSql('postgres') })).rows)
      return fromStore(query())
    },
  }
}
