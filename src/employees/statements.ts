import { candidateLimit } from './employee-store.ts'
import { employeeRevocation, replaceRevocationSql } from './revocations.ts'
import type { Dialect } from './rows.ts'
import { sharesIdSql } from './shared-ids.ts'

// Both stores take these statements. D1 wants its placeholders as ?1, see `forD1`.

/** Returns placeholders for a number of values, the first of them `$from`. */
export function placeholders(from: number, count: number, write = (name: string) => name): string {
  return Array.from({ length: count }, (_, index) => write(`$${from + index}`)).join(', ')
}

/** Returns a statement with the placeholders of D1. */
export function forD1(sql: string): string {
  return sql.replace(/\$(\d+)/g, '?$1')
}

/** Casting a name drops the blanks that CHAR(n) adds. */
const columnsSql = (dialect: Dialect) => `CAST(e.id AS TEXT) AS id, CAST(e.user_name AS TEXT) AS user_name,
    e.is_active, e.is_admin, b.directory_id AS bound_to, ${sharesIdSql(dialect)} AS shares_id`

/** Joins the binding `b` of an employee `e`. */
export const bindingsSql = 'LEFT JOIN homeport_bindings b ON b.employee_id = CAST(e.id AS TEXT)'

/**
 * Returns the query for candidates: $1 is the object ID, $2 the exact name. One placeholder for each name, which uses the index
 * on lower(user_name): SQLite has no arrays, and with one, PostgreSQL would plan every query again, because it assumes ten
 * elements in a generic plan. An `employees.id` of any type is compared as its own type, and only the result is cast to text.
 */
export const findByNameSql = (dialect: Dialect, names: number) => `
  SELECT DISTINCT ${columnsSql(dialect)}, CAST(e.user_name AS TEXT) = $2 AS exact,
    (SELECT employee_id FROM homeport_bindings WHERE directory_id = $1) AS asker_bound_to,
    (SELECT ended_at FROM homeport_ended_sessions
      WHERE subject = '${employeeRevocation('')}' || CAST(e.id AS TEXT)) AS last_ended_at
  FROM employees e ${bindingsSql}
  WHERE lower(e.user_name) IN (${placeholders(3, names, name => `CAST(${name} AS TEXT)`)})
  ORDER BY exact DESC LIMIT ${candidateLimit}`

export const bindSql = `
  INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by) VALUES ($1, $2, $3, 'sign-in')
  ON CONFLICT DO NOTHING`

/** Returns the query for the state of one session, by an employee's id in SQL. */
export const checkSessionSql = (dialect: Dialect, id = 'e.id') => `
  SELECT ${columnsSql(dialect)},
    (SELECT ended_at FROM homeport_ended_sessions WHERE subject = $2) AS session_ended_at,
    (SELECT ended_at FROM homeport_ended_sessions WHERE subject = $3) AS employee_ended_at
  FROM (SELECT 1) AS always LEFT JOIN employees e ON ${id} = $1 ${bindingsSql} LIMIT 1`

/**
 * Returns PostgreSQL's query for the employees of several sessions, and of each session and employee the revocation: one
 * statement, so one snapshot. Each id has a placeholder of its own: an array would be planned again each time.
 */
export const checkSessionsSql = (count: number) => `
  SELECT ${columnsSql('postgres')},
    (SELECT json_object_agg(subject, ended_at) FROM homeport_ended_sessions
      WHERE subject IN (${placeholders(count + 1, 2 * count)})) AS ended
  FROM (SELECT 1) AS always LEFT JOIN employees e ON e.id IN (${placeholders(1, count)}) ${bindingsSql}`

const addRevocationSql =
  'INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ($1, $2, $3)'

export const endSessionSql = `${addRevocationSql} ON CONFLICT (subject) DO NOTHING`

export const endEmployeeSessionsSql = `${addRevocationSql} ${replaceRevocationSql}`
