import { CommandError } from '../../lib/command.ts'
import { printable } from '../../lib/quote.ts'
import type { Candidate, Employee } from '../employees/employee-store.ts'
import { employeeRevocation, keepRevocationMs, replaceRevocationSql } from '../employees/revocations.ts'
import { type Row, readEmployee } from '../employees/rows.ts'
import { sharesIdSql } from '../employees/shared-ids.ts'
import { bindingsSql } from '../employees/statements.ts'
import { foldName, idRule, isId, readUserName } from '../employees/user-names.ts'
import type { Statement, Store } from './store.ts'

export type ListedEmployee = Employee & Pick<Candidate, 'boundTo'>

const columnsSql =
  "CAST(e.id AS TEXT) AS id, COALESCE(CAST(e.user_name AS TEXT), '') AS user_name, e.is_active, e.is_admin, b.directory_id AS bound_to"

/** Returns every employee, once even if a JOIN in HR's view doubles the record. */
export async function listEmployees(store: Store): Promise<readonly ListedEmployee[]> {
  const rows = await store.query(
    `SELECT DISTINCT ${columnsSql} FROM employees e ${bindingsSql} ORDER BY user_name`,
  )
  return rows.map(readListed)
}

function readListed(row: Row): ListedEmployee {
  const { bound_to: boundTo } = row
  return { ...readEmployee(row), boundTo: typeof boundTo === 'string' ? boundTo : null }
}

/** Returns the employee with exactly this user name, and whether a different record has the same id. */
export async function findEmployee(
  store: Store,
  userName: string,
): Promise<ListedEmployee & Pick<Candidate, 'sharesId'>> {
  const rows = await store.query(
    `SELECT DISTINCT ${columnsSql}, CASE WHEN ${sharesIdSql(store.dialect)} THEN 1 ELSE 0 END AS shares_id FROM employees e ${bindingsSql} WHERE e.user_name = $1`,
    [userName],
  )
  const [only] = rows
  if (!only) {
    const folded = foldName(userName)
    const alike = (await listEmployees(store)).find(other => foldName(other.userName) === folded)
    const advice = alike ? `Use ${printable(alike.userName)}.` : 'Run `list` to see the names.'
    throw new CommandError(`No employee is named ${printable(userName)}. ${advice}`)
  }
  if (rows.length > 1) {
    throw new CommandError(
      `${rows.length} employees are named ${printable(userName)}. Give each a unique name.`,
    )
  }
  return { ...readListed(only), sharesId: only['shares_id'] === 1 }
}

/**
 * Throws for a name that nobody could sign in with, for an id that cannot be shown in a header or a list, and for either if an
 * employee already has it.
 */
export async function requireFree(store: Store, userName: string, id: string): Promise<void> {
  const name = readUserName(userName)
  if ('problem' in name) {
    throw new CommandError(`"${printable(userName)}" is not a user name. ${name.problem}`)
  }
  if (!isId(id)) throw new CommandError(`"${printable(id)}" is not an id. ${idRule}`)
  const folded = foldName(userName)
  for (const other of await listEmployees(store)) {
    const [shown, shownId] = [printable(other.userName), printable(other.id)]
    if (foldName(other.userName) === folded)
      throw new CommandError(`The name is taken by ${shown} (${shownId}). Choose another.`)
    if (other.id === id) throw new CommandError(`The id ${id} is taken by ${shown}. Choose another.`)
  }
}

/** Returns the statement that sets a flag of an employee. */
export function setFlag(employeeId: string, flag: 'is_active' | 'is_admin', value: boolean): Statement {
  return { sql: `UPDATE employees SET ${flag} = ${value} WHERE id = $1`, values: [employeeId] }
}

/** Returns whom an account is bound to, without a name if that record is gone; null when unbound. */
export async function findBound(store: Store, objectId: string) {
  const [row] = await store.query(
    `SELECT b.employee_id AS id, CAST(e.user_name AS TEXT) AS user_name FROM homeport_bindings b
     LEFT JOIN employees e ON CAST(e.id AS TEXT) = b.employee_id WHERE b.directory_id = $1`,
    [objectId],
  )
  return row ? { id: String(row['id']), userName: row['user_name'] as string | null } : null
}

/** Ends every session of an employee (ASVS 5.0 7.4.5). */
export function endSessions(employeeId: string, now: number): Statement {
  return endSessionsOf('SELECT CAST($3 AS TEXT) AS id', now, employeeId)
}

/**
 * Returns the statement that ends every session of the employees whose ids a query returns. Of sessions that another
 * service started, those that started after `now` stay.
 * @param values of the query, from $3 on
 */
export function endSessionsOf(query: string, now: number, ...values: readonly string[]): Statement {
  return {
    sql: `INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until)
     SELECT '${employeeRevocation('')}' || id, CAST($1 AS BIGINT), CAST($2 AS BIGINT)
     FROM (SELECT DISTINCT id FROM (${query}) AS listed) AS ids WHERE id IS NOT NULL
     ${replaceRevocationSql}`,
    values: [now, now + keepRevocationMs, ...values],
  }
}
