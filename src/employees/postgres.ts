import type pg from 'pg'
import { candidateLimit, checkSample, type EmployeeStore, fromStore } from './employee-store.ts'
import { readPostgresFacts } from './postgres-check.ts'
import type { Pool } from './postgres-pool.ts'
import { employeeRevocation, replaceRevocation, sessionRevocation } from './revocations.ts'
import { type Row, readCandidate, readIds } from './rows.ts'
import { checkOne, createSessionChecks } from './session-checks.ts'
import { sharedIdsQuery, sharesId } from './shared-ids.ts'
import { judgeStore } from './store-check.ts'

/**
 * One placeholder for each name, which uses the index on lower(user_name). With one array for all names, PostgreSQL would
 * plan every query again, because it assumes ten elements in a generic plan. An `employees.id` of any type is compared
 * as its own type, and only the result is cast to text. Casting a name drops the blanks that CHAR(n) adds.
 */
const findByName = (names: number) => `
  SELECT DISTINCT e.id::text AS id, e.user_name::text, e.is_active, e.is_admin, b.directory_id AS bound_to,
    e.user_name::text = $2 AS exact, ${sharesId('postgres')} AS shares_id,
    (SELECT employee_id FROM homeport_bindings WHERE directory_id = $1) AS asker_bound_to,
    (SELECT ended_at FROM homeport_ended_sessions
      WHERE subject = '${employeeRevocation('')}' || e.id::text) AS last_ended_at
  FROM employees e LEFT JOIN homeport_bindings b ON b.employee_id = e.id::text
  WHERE lower(e.user_name) IN (${Array.from({ length: names }, (_, index) => `$${index + 3}::text`).join(', ')})
  ORDER BY exact DESC LIMIT ${candidateLimit}`

const bind = `
  INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by) VALUES ($1, $2, $3, 'sign-in')
  ON CONFLICT DO NOTHING`

const endSession = `
  WITH expired AS (DELETE FROM homeport_ended_sessions WHERE keep_until < $2)
  INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ($1, $2, $3)
  ON CONFLICT (subject) DO NOTHING`

const endEmployeeSessions = `
  INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ($1, $2, $3)
  ${replaceRevocation}`

/** Statements of every sign-in and check, for a test of their query plans. */
export const statements = { findByName, checkSession: checkOne }

/** Opens the employees in PostgreSQL. Each connection plans a statement once. */
export function createPostgresEmployeeStore(pool: Pool): EmployeeStore {
  function run<T>(
    text: string,
    values: readonly unknown[],
    read: (result: pg.QueryResult<Row>) => T,
  ): Promise<T> {
    // Turns errors that the driver throws synchronously into rejections.
    const query = async () => read(await pool.query({ text, values, prepared: true }))
    return fromStore(query())
  }

  const ask = (text: string, values: readonly unknown[]) =>
    pool.query({ text, values, prepared: true, reads: true })

  const checkSession = createSessionChecks(pool)

  return {
    findByName: (names, objectId, username) =>
      fromStore(
        ask(findByName(names.length), [objectId, username, ...names]).then(({ rows }) =>
          rows.map(readCandidate),
        ),
      ),
    bind: (employeeId, objectId, now) =>
      run(bind, [employeeId, objectId, now], ({ rowCount }) => rowCount === 1),
    checkSession: (sessionId, employeeId, endsFrom) =>
      fromStore(checkSession({ sessionId, employeeId, endsFrom })),
    endSession: (sessionId, now, keepUntil) =>
      run(endSession, [sessionRevocation(sessionId), now, keepUntil], () => undefined),
    endEmployeeSessions: (employeeId, endedAt, keepUntil) =>
      run(endEmployeeSessions, [employeeRevocation(employeeId), endedAt, keepUntil], () => undefined),
    check() {
      const query = async (sql: string) => (await pool.query({ text: sql, reads: true })).rows
      return fromStore(readPostgresFacts(query, checkSample).then(judgeStore))
    },
    findSharedIds() {
      const query = async () =>
        readIds((await pool.query({ text: sharedIdsQuery('postgres'), reads: true })).rows)
      return fromStore(query())
    },
  }
}
