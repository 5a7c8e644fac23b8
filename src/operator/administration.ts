import type { Employee } from '../employees/employee-store.ts'
import { foldName, idRule, isId, readUserName } from '../employees/names.ts'
import { printable } from '../employees/printable.ts'
import { employeeRevocation, keepRevocationMs, replaceRevocation } from '../employees/revocations.ts'
import { type Row, readEmployee } from '../employees/rows.ts'
import { sharesId } from '../employees/shared-ids.ts'
import { isGuid } from '../settings/guid.ts'
import type { Schema } from './migrations.ts'
import { OperatorError, type Statement, type Store } from './store.ts'

export interface ListedEmployee extends Employee {
  /** Object ID that this employee is bound to; null when unbound. */
  readonly boundTo: string | null
}

const columns =
  "CAST(e.id AS TEXT) AS id, COALESCE(CAST(e.user_name AS TEXT), '') AS user_name, e.is_active, e.is_admin, b.directory_id AS bound_to"
const joined = 'employees e LEFT JOIN homeport_bindings b ON b.employee_id = CAST(e.id AS TEXT)'

/** Returns every employee, once even if a JOIN in HR's view doubles the record. */
export async function listEmployees(store: Store): Promise<readonly ListedEmployee[]> {
  const rows = await store.query(`SELECT DISTINCT ${columns} FROM ${joined} ORDER BY user_name`)
  return rows.map(readListed)
}

function readListed(row: Row): ListedEmployee {
  const { bound_to: boundTo } = row
  return { ...readEmployee(row), boundTo: typeof boundTo === 'string' ? boundTo : null }
}

/** Returns the employee with exactly this user name, whose id no different record has. */
export async function findEmployee(store: Store, userName: string): Promise<ListedEmployee> {
  const employee = await findRecord(store, userName)
  if (employee.sharesId) {
    throw new OperatorError(
      `${printable(userName)} shares the id ${printable(employee.id)} with a different record. Give each record an id of its own. \`check\` lists such ids.`,
    )
  }
  return employee
}

/** Returns the employee with exactly this user name, and whether a different record has the same id. */
export async function findRecord(
  store: Store,
  userName: string,
): Promise<ListedEmployee & { readonly sharesId: boolean }> {
  const rows = await store.query(
    `SELECT DISTINCT ${columns}, CASE WHEN ${sharesId(store.dialect)} THEN 1 ELSE 0 END AS shares_id FROM ${joined} WHERE e.user_name = $1`,
    [userName],
  )
  const [only] = rows
  if (!only)
    throw new OperatorError(`No employee is named ${printable(userName)}. Run \`list\` to see the names.`)
  if (rows.length > 1) {
    throw new OperatorError(
      `${rows.length} employees are named ${printable(userName)}. Give each a unique name.`,
    )
  }
  return { ...readListed(only), sharesId: only['shares_id'] === 1 }
}

/** Throws unless this command created the table of employees: HR's records belong to HR. */
export function requireOwnEmployees(schema: Schema): void {
  if (schema.employees === 'provided') {
    throw new OperatorError(
      'The employees are in a table or view that this command did not create and does not write. Change them at their source.',
    )
  }
}

/** Throws for a name that nobody could sign in with, or that an employee already has. */
export async function requireFreeName(store: Store, userName: string): Promise<void> {
  const name = readUserName(userName)
  if ('problem' in name) {
    throw new OperatorError(`"${printable(userName)}" is not a user name. ${name.problem}`)
  }
  const folded = foldName(userName)
  const taken = (await listEmployees(store)).find(other => foldName(other.userName) === folded)
  if (taken) {
    throw new OperatorError(
      `The name is taken by ${printable(taken.userName)} (${printable(taken.id)}). Choose another.`,
    )
  }
}

/** Throws for an id that is taken, or that cannot be shown in a header or a list. */
export async function requireFreeId(store: Store, id: string): Promise<void> {
  if (!isId(id)) throw new OperatorError(`"${printable(id)}" is not an id. ${idRule}`)
  const [taken] = await store.query(`SELECT user_name FROM employees e WHERE e.id = $1`, [id])
  if (taken) {
    throw new OperatorError(
      `The id ${id} is taken by ${printable(String(taken['user_name']))}. Choose another.`,
    )
  }
}

/** Returns the statement that adds an employee. */
export function addEmployee({ id, userName, isActive, isAdmin }: Employee): Statement {
  return {
    sql: `INSERT INTO employees (id, user_name, is_active, is_admin) VALUES ($1, $2, ${isActive}, ${isAdmin})`,
    values: [id, userName],
  }
}

/** Returns the statement that sets a flag of an employee. */
export function setFlag(employeeId: string, flag: 'is_active' | 'is_admin', value: boolean): Statement {
  return { sql: `UPDATE employees SET ${flag} = ${value} WHERE id = $1`, values: [employeeId] }
}

/** Returns an object id in lower case, or throws. */
export function requireObjectId(text: string): string {
  if (isGuid(text)) return text.toLowerCase()
  throw new OperatorError(`"${printable(text)}" is not an Object ID. Copy it from the user's page in Entra.`)
}

/** Throws if the employee or the account is already bound. */
export async function requireUnbound(
  store: Store,
  employee: ListedEmployee,
  objectId: string,
): Promise<void> {
  const other = await findBinding(store, objectId)
  if (other !== null) {
    const name = await nameOf(store, other)
    const owner = name === null ? `employee ${printable(other)}, whose record is gone` : printable(name)
    const target = name === null ? objectId : printable(name)
    throw new OperatorError(`${objectId} is already bound to ${owner}. Run \`unbind ${target}\` first.`)
  }
  if (employee.boundTo) {
    const name = printable(employee.userName)
    throw new OperatorError(`${name} is already bound to ${employee.boundTo}. Run \`unbind ${name}\` first.`)
  }
}

/** Returns the statement that binds an employee to an account. */
export function bindEmployee(employeeId: string, objectId: string, now: number): Statement {
  return {
    sql: "INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by) VALUES ($1, $2, $3, 'operator')",
    values: [employeeId, objectId, now],
  }
}

/** Returns the employee id that an account is bound to, even if that record is gone; null when unbound. */
export async function findBinding(store: Store, objectId: string): Promise<string | null> {
  const [row] = await store.query('SELECT employee_id FROM homeport_bindings WHERE directory_id = $1', [
    objectId,
  ])
  return row ? String(row['employee_id']) : null
}

async function nameOf(store: Store, employeeId: string): Promise<string | null> {
  const [row] = await store.query('SELECT user_name FROM employees e WHERE CAST(e.id AS TEXT) = $1', [
    employeeId,
  ])
  return row ? String(row['user_name']) : null
}

/** Unbinds an employee, and ends every session, since the old binding is no longer trusted. */
export function unbindEmployee(employeeId: string, now: number): readonly Statement[] {
  const unbind = { sql: 'DELETE FROM homeport_bindings WHERE employee_id = $1', values: [employeeId] }
  return [unbind, endSessions(employeeId, now)]
}

/** Ends every session of an employee (ASVS 5.0 7.4.5). */
export function endSessions(employeeId: string, now: number): Statement {
  return endSessionsOf('SELECT CAST($3 AS TEXT) AS id', now, employeeId)
}

/** Ends every session of everybody. */
export function endAllSessions(now: number): Statement {
  return endSessionsOf('SELECT CAST(id AS TEXT) AS id FROM employees', now)
}

/** Removes every binding, and ends the sessions of everybody who had one. */
export function unbindAll(now: number): readonly Statement[] {
  // The sessions first: afterwards nobody is bound. One that starts in between ends with its binding.
  const end = endSessionsOf('SELECT employee_id AS id FROM homeport_bindings', now)
  return [end, { sql: 'DELETE FROM homeport_bindings' }]
}

/**
 * Ends every session of those employees of a row source `r` who are inactive at this moment.
 * @param rows SQL that reads the value from $3
 */
export function endSessionsOfInactive(rows: string, value: string, now: number): Statement {
  const inactive = `SELECT e.id FROM ${rows} JOIN employees e ON e.id = r.id WHERE NOT e.is_active`
  return endSessionsOf(inactive, now, value)
}

/**
 * Returns the statement that ends every session of the employees whose ids a query returns. Only of sessions that another
 * service started, later ones by `now` stay.
 * @param values of the query, from $3 on
 */
function endSessionsOf(query: string, now: number, ...values: readonly string[]): Statement {
  return {
    sql: `INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until)
     SELECT '${employeeRevocation('')}' || id, CAST($1 AS BIGINT), CAST($2 AS BIGINT)
     FROM (SELECT DISTINCT id FROM (${query}) AS listed) AS ids WHERE id IS NOT NULL
     ${replaceRevocation}`,
    values: [now, now + keepRevocationMs, ...values],
  }
}
