import { maxSessionMs } from '../settings/values.ts'
import { isPlain } from '../sign-in/identity.ts'
import { foldName } from '../sign-in/matching.ts'
import type { Employee } from './directory.ts'
import { employeesOf } from './migrations.ts'
import { employeeSubject } from './revocations.ts'
import { type Row, readEmployee } from './rows.ts'
import { OperatorError, type Store } from './store.ts'

export interface ListedEmployee extends Employee {
  /** Directory id this employee is bound to; null when unbound. */
  readonly boundTo: string | null
}

const columns =
  "CAST(e.id AS TEXT) AS id, COALESCE(e.user_name, '') AS user_name, e.is_active, e.is_admin, b.directory_id AS bound_to"
const joined = 'employees e LEFT JOIN homeport_bindings b ON b.employee_id = CAST(e.id AS TEXT)'

/** How long an end of all sessions is remembered: longer than any session lives, by a day for clocks that differ. */
const keepEndedMs = maxSessionMs + 24 * 3_600_000

export async function listEmployees(store: Store): Promise<readonly ListedEmployee[]> {
  const rows = await store.query(`SELECT ${columns} FROM ${joined} ORDER BY e.user_name`)
  return rows.map(readListed)
}

function readListed(row: Row): ListedEmployee {
  const { bound_to: boundTo } = row
  return { ...readEmployee(row), boundTo: typeof boundTo === 'string' ? boundTo : null }
}

/** The employee with exactly this user name. */
export async function findEmployee(store: Store, userName: string): Promise<ListedEmployee> {
  const rows = await store.query(`SELECT ${columns} FROM ${joined} WHERE e.user_name = $1`, [userName])
  const [only] = rows
  if (!only) throw new OperatorError(`No employee is named ${userName}. \`list\` shows who there is.`)
  if (rows.length > 1)
    throw new OperatorError(`${rows.length} employees are named ${userName}. Names have to be unique.`)
  return readListed(only)
}

/** Employees are changed here only where this command made their table: HR's records are HR's. */
export async function requireOwnEmployees(store: Store): Promise<void> {
  const employees = await employeesOf(store)
  if (employees === 'provided') {
    throw new OperatorError(
      'The employees come from a table or view that is not ours to write. Change them where they are kept.',
    )
  }
}

/** Refuses a name that nobody could sign in with, or that cannot be told from another. */
export async function requireFreeName(store: Store, userName: string): Promise<void> {
  if (!isPlain(userName) || userName.includes('@')) {
    throw new OperatorError(
      `${JSON.stringify(userName)} is not a user name: the part of the address before the @, without spaces.`,
    )
  }
  const folded = foldName(userName)
  const taken = (await listEmployees(store)).find(other => foldName(other.userName) === folded)
  if (taken) throw new OperatorError(`The name is taken by ${taken.userName} (${taken.id}).`)
}

/** Refuses an id that is taken, or that could not be told from others in a header or a list. */
export async function requireFreeId(store: Store, id: string): Promise<void> {
  if (!/^[!-~]{1,128}$/.test(id)) {
    throw new OperatorError(
      `${JSON.stringify(id)} is not an id: 1 to 128 letters, digits and signs of ASCII, without spaces.`,
    )
  }
  const [taken] = await store.query(`SELECT user_name FROM employees e WHERE e.id = $1`, [id])
  if (taken) throw new OperatorError(`The id ${id} is taken by ${String(taken['user_name'])}.`)
}

export async function addEmployee(store: Store, employee: Employee): Promise<void> {
  const flags = `${employee.isActive}, ${employee.isAdmin}`
  await store.query(`INSERT INTO employees (id, user_name, is_active, is_admin) VALUES ($1, $2, ${flags})`, [
    employee.id,
    employee.userName,
  ])
}

export async function setActive(store: Store, employeeId: string, active: boolean): Promise<void> {
  await store.query(`UPDATE employees SET is_active = ${active} WHERE id = $1`, [employeeId])
}

/** Directory ids are Entra's object ids, which are GUIDs. */
export function isDirectoryId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

export function requireDirectoryId(text: string): string {
  if (isDirectoryId(text)) return text.toLowerCase()
  throw new OperatorError(
    `${JSON.stringify(text)} is not a directory id. It is the Object ID on the user's page in Entra.`,
  )
}

/** Refuses a pair of which either is bound already. */
export async function requireUnbound(
  store: Store,
  employee: ListedEmployee,
  directoryId: string,
): Promise<void> {
  const other = await findBinding(store, directoryId)
  if (other !== null) {
    const whose = await nameOf(store, other)
    throw new OperatorError(
      `${directoryId} is bound to ${whose ?? `employee ${other}, whose record is gone,`} already. \`unbind ${whose ?? directoryId}\` first.`,
    )
  }
  if (employee.boundTo)
    throw new OperatorError(`${employee.userName} is bound to ${employee.boundTo} already. Unbind first.`)
}

export async function bindEmployee(
  store: Store,
  employee: ListedEmployee,
  directoryId: string,
  now: number,
): Promise<void> {
  await store.query(
    "INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by) VALUES ($1, $2, $3, 'operator')",
    [employee.id, directoryId, now],
  )
}

/** The id of the employee that a directory id is bound to, whether or not there is such a record; null when unbound. */
export async function findBinding(store: Store, directoryId: string): Promise<string | null> {
  const [row] = await store.query('SELECT employee_id FROM homeport_bindings WHERE directory_id = $1', [
    directoryId,
  ])
  return row ? String(row['employee_id']) : null
}

async function nameOf(store: Store, employeeId: string): Promise<string | null> {
  const [row] = await store.query('SELECT user_name FROM employees e WHERE CAST(e.id AS TEXT) = $1', [
    employeeId,
  ])
  return row ? String(row['user_name']) : null
}

/** Unbinds, and ends every session: what was signed in under the old binding is not trusted any more. */
export async function unbindEmployee(store: Store, employeeId: string, now: number): Promise<void> {
  await store.query('DELETE FROM homeport_bindings WHERE employee_id = $1', [employeeId])
  await endSessions(store, employeeId, now)
}

/** Ends every session of an employee that started until now (ASVS 5.0 7.4.5). */
export async function endSessions(store: Store, employeeId: string, now: number): Promise<void> {
  await store.query(
    `INSERT INTO homeport_ended_sessions (subject, ended_at, keep_until) VALUES ($1, $2, $3)
     ON CONFLICT (subject) DO UPDATE SET ended_at = excluded.ended_at, keep_until = excluded.keep_until`,
    [employeeSubject(employeeId), now, now + keepEndedMs],
  )
}
