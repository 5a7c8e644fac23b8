import pg from 'pg'
import { codeOf } from '../http/error-code.ts'
import { answerOf, candidateLimit, type EmployeeDirectory, storeTimeoutMs } from './directory.ts'
import { employeeSubject, sessionSubject } from './revocations.ts'
import { type Row, readCandidate, readSessionState } from './rows.ts'

/**
 * One placeholder a name, answered by the index on lower(user_name). With one array for all names PostgreSQL would never
 * keep a plan: it costs a plan for any array as if it held ten, and so makes a new one for each sign-in. An
 * `employees.id` of any type is compared as its own type, through the parameter; only what comes out is turned to text.
 */
const findByName = (names: number) => `
  SELECT e.id::text AS id, e.user_name, e.is_active, e.is_admin, b.directory_id AS bound_to,
    (SELECT employee_id FROM homeport_bindings WHERE directory_id = $1) AS asker_bound_to
  FROM employees e LEFT JOIN homeport_bindings b ON b.employee_id = e.id::text
  WHERE lower(e.user_name) IN (${Array.from({ length: names }, (_, index) => `$${index + 2}::text`).join(', ')})
  LIMIT ${candidateLimit}`

const bind = `
  INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by) VALUES ($1, $2, $3, 'sign-in')
  ON CONFLICT DO NOTHING`

const checkSession = `
  SELECT e.id::text AS id, e.user_name, e.is_active, e.is_admin,
    EXISTS (SELECT 1 FROM homeport_ended_sessions WHERE subject = $2 OR (subject = $3 AND ended_at >= $4)) AS ended
  FROM employees e WHERE e.id = $1`

const endSession = `
  WITH over AS (DELETE FROM homeport_ended_sessions WHERE keep_until < $2)
  INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ($1, $2, $3)
  ON CONFLICT (subject) DO NOTHING`

const probe = `
  SELECT 1 FROM employees LEFT JOIN homeport_bindings ON false LEFT JOIN homeport_ended_sessions ON false LIMIT 1`

/** What is asked at every sign-in and every check, for a test to look at how it is answered. */
export const statements = { findByName, checkSession }

/** Connections one handler holds at most. */
const poolSize = 10

/** What keeps an address from being used at all, and holds nothing of the address, which has a password; null: nothing. */
export function databaseUrlProblem(databaseUrl: string): string | null {
  if (!/^postgres(ql)?:\/\/./.test(databaseUrl)) return 'is missing or does not start with postgresql://.'
  try {
    new pg.Client({ connectionString: databaseUrl })
    return null
  } catch (error) {
    return `cannot be used (${codeOf(error) ?? 'not an address'}). Look at its host, port, parameters and files.`
  }
}

/** A pool for the handler: every wait is bounded, so that a database that hangs is a failure and not a hang. */
export function createPool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolSize,
    connectionTimeoutMillis: storeTimeoutMs,
    query_timeout: storeTimeoutMs,
    statement_timeout: storeTimeoutMs,
    application_name: 'homeport',
  })
  // An idle connection that breaks is replaced at the next query, which then says so if it cannot be.
  pool.on('error', () => undefined)
  return pool
}

/** The employees in PostgreSQL. Statements are named, so that each connection plans them once. */
export function createPostgresDirectory(pool: pg.Pool): EmployeeDirectory {
  const run = <T>(
    name: string,
    text: string,
    values: readonly unknown[],
    read: (result: pg.QueryResult<Row>) => T,
  ): Promise<T> => {
    // Asynchronous as a whole, since the driver throws at once where it cannot even try.
    const ask = async () => read(await pool.query<Row>({ name, text, values: [...values] }))
    return answerOf(ask())
  }

  return {
    findByName: (names, directoryId) =>
      run(`homeport-find-${names.length}`, findByName(names.length), [directoryId, ...names], ({ rows }) =>
        rows.map(readCandidate),
      ),
    bind: (employeeId, directoryId, now) =>
      run('homeport-bind', bind, [employeeId, directoryId, now], ({ rowCount }) => rowCount === 1),
    checkSession(sessionId, employeeId, issuedAt) {
      const values = [employeeId, sessionSubject(sessionId), employeeSubject(employeeId), issuedAt]
      return run('homeport-check', checkSession, values, ({ rows }) => readSessionState(rows[0]))
    },
    endSession: (sessionId, now, keepUntil) =>
      run('homeport-end', endSession, [sessionSubject(sessionId), now, keepUntil], () => undefined),
    probe: () => run('homeport-probe', probe, [], () => undefined),
  }
}
