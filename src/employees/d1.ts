import { readD1Facts } from './d1-check.ts'
import { candidateLimit, checkSample, type EmployeeStore, fromStore } from './employee-store.ts'
import { employeeRevocation, replaceRevocation, sessionRevocation } from './revocations.ts'
import { type Row, readCandidate, readIds, readSessionState } from './rows.ts'
import { sharedIdsQuery, sharesId } from './shared-ids.ts'
import { judgeStore } from './store-check.ts'

/** The part of a D1 binding that is used here. */
export interface D1Binding {
  prepare(sql: string): D1Statement
  batch(statements: readonly D1Statement[]): Promise<unknown>
}

interface D1Statement {
  bind(...values: readonly unknown[]): D1Statement
  all(): Promise<D1Result>
}

interface D1Result {
  readonly results: readonly Row[]
  readonly meta: { readonly changes?: number }
}

/** One placeholder for each name: SQLite has no arrays, and uses its index on lower(user_name) for IN. */
const findByName = (names: number) => `
  SELECT DISTINCT CAST(e.id AS TEXT) AS id, e.user_name, e.is_active, e.is_admin, b.directory_id AS bound_to,
    e.user_name = ?2 AS exact, ${sharesId('d1')} AS shares_id,
    (SELECT employee_id FROM homeport_bindings WHERE directory_id = ?1) AS asker_bound_to,
    (SELECT ended_at FROM homeport_ended_sessions
      WHERE subject = '${employeeRevocation('')}' || CAST(e.id AS TEXT)) AS last_ended_at
  FROM employees e LEFT JOIN homeport_bindings b ON b.employee_id = CAST(e.id AS TEXT)
  WHERE lower(e.user_name) IN (${Array.from({ length: names }, (_, index) => `?${index + 3}`).join(', ')})
  ORDER BY exact DESC LIMIT ${candidateLimit}`

const bind = `
  INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by) VALUES (?1, ?2, ?3, 'sign-in')
  ON CONFLICT DO NOTHING`

const checkSession = `
  SELECT CAST(e.id AS TEXT) AS id, e.user_name, e.is_active, e.is_admin, b.directory_id AS bound_to,
    ${sharesId('d1')} AS shares_id,
    EXISTS (SELECT 1 FROM homeport_ended_sessions WHERE subject = ?2) AS session_ended,
    EXISTS (SELECT 1 FROM homeport_ended_sessions WHERE subject = ?3 AND ended_at >= ?4) AS employee_ended
  FROM (SELECT 1) AS always LEFT JOIN employees e ON e.id = ?1
  LEFT JOIN homeport_bindings b ON b.employee_id = CAST(e.id AS TEXT) LIMIT 1`

const dropExpired = 'DELETE FROM homeport_ended_sessions WHERE keep_until < ?1'

const endSession = `
  INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES (?1, ?2, ?3)
  ON CONFLICT (subject) DO NOTHING`

const endEmployeeSessions = `
  INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES (?1, ?2, ?3)
  ${replaceRevocation}`

/** Statements of every sign-in and check, for a test of their query plans. */
export const statements = { findByName, checkSession }

/** Whether a Worker's binding is a D1 database. */
export function isD1Binding(value: unknown): value is D1Binding {
  return typeof value === 'object' && value !== null && 'prepare' in value && 'batch' in value
}

/** Opens the employees in D1 through a Worker's binding. */
export function createD1EmployeeStore(database: D1Binding): EmployeeStore {
  function run<T>(sql: string, values: readonly unknown[], read: (result: D1Result) => T): Promise<T> {
    const query = database.prepare(sql).bind(...values)
    return fromStore(query.all().then(read))
  }

  return {
    findByName: (names, objectId, username) =>
      run(findByName(names.length), [objectId, username, ...names], ({ results }) =>
        results.map(readCandidate),
      ),
    bind: (employeeId, objectId, now) =>
      run(bind, [employeeId, objectId, now], ({ meta }) => meta.changes === 1),
    checkSession(sessionId, employeeId, endsFrom) {
      const values = [employeeId, sessionRevocation(sessionId), employeeRevocation(employeeId), endsFrom]
      return run(checkSession, values, ({ results }) => readSessionState(results[0]))
    },
    async endSession(sessionId, now, keepUntil) {
      await fromStore(
        database.batch([
          database.prepare(dropExpired).bind(now),
          database.prepare(endSession).bind(sessionRevocation(sessionId), now, keepUntil),
        ]),
      )
    },
    endEmployeeSessions: (employeeId, endedAt, keepUntil) =>
      run(endEmployeeSessions, [employeeRevocation(employeeId), endedAt, keepUntil], () => undefined),
    check() {
      const query = async (sql: string) => (await database.prepare(sql).all()).results
      return fromStore(readD1Facts(query, checkSample).then(judgeStore))
    },
    findSharedIds: () => run(sharedIdsQuery('d1'), [], ({ results }) => readIds(results)),
  }
}
