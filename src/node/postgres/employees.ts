import { checkSample, type EmployeeStore, fromStore } from '../../employees/employee-store.ts'
import { employeeRevocation, sessionRevocation } from '../../employees/revocations.ts'
import { readCandidate, readIds } from '../../employees/rows.ts'
import { sharedIdsSql } from '../../employees/shared-ids.ts'
import { bindSql, endEmployeeSessionsSql, endSessionSql, findByNameSql } from '../../employees/statements.ts'
import type { Repeats, Result } from './connections.ts'
import { judgePostgres } from './facts.ts'
import type { Pool } from './pool.ts'
import { createSessionChecks } from './session-checks.ts'

const endExpiredSql = `WITH expired AS (DELETE FROM homeport_ended_sessions WHERE keep_until < $2) ${endSessionSql}`

/** Opens the employees in PostgreSQL. Each connection plans a statement once. */
export function createPostgresEmployeeStore(pool: Pool): EmployeeStore {
  function run<T>(
    text: string,
    values: readonly unknown[],
    read: (result: Result) => T,
    repeats: Repeats = 'never',
  ): Promise<T> {
    return fromStore(pool.query({ text, values, prepared: true, repeats }).then(read))
  }

  const checkSession = createSessionChecks(pool)

  return {
    findByName: (names, objectId, username) =>
      run(
        findByNameSql('postgres', names.length),
        [objectId, username, ...names],
        ({ rows }) => rows.map(readCandidate),
        'read',
      ),
    bind: (employeeId, objectId, now) =>
      run(bindSql, [employeeId, objectId, now], ({ rowCount }) => rowCount === 1, 'write'),
    checkSession: (sessionId, employeeId, endsFrom) =>
      fromStore(checkSession({ sessionId, employeeId, endsFrom })),
    endSession: (sessionId, now, keepUntil) =>
      run(endExpiredSql, [sessionRevocation(sessionId), now, keepUntil], () => undefined, 'write'),
    endEmployeeSessions: (employeeId, endedAt, keepUntil) =>
      run(endEmployeeSessionsSql, [employeeRevocation(employeeId), endedAt, keepUntil], () => undefined),
    check() {
      const query = async (sql: string) => (await pool.query({ text: sql, repeats: 'read' })).rows
      return fromStore(judgePostgres(query, checkSample))
    },
    // Not retried, because it reads the whole table.
    findSharedIds: () =>
      fromStore(pool.query({ text: sharedIdsSql('postgres') }).then(({ rows }) => readIds(rows))),
  }
}
