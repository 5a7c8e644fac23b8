import type { Candidate, Employee, SessionState } from './employee-store.ts'

/** The databases that the handler and the operator's command can use. */
export type Dialect = 'postgres' | 'd1'

/** A row as a driver returns it. */
export type Row = Readonly<Record<string, unknown>>

/**
 * Reads an employee from the columns `id` (as text), `user_name`, `is_active` and `is_admin`. Every flag that is not
 * plainly true is false, so that an unexpected column type lets nobody in and makes nobody an administrator.
 */
export function readEmployee(row: Row): Employee {
  return {
    id: textOf(row['id']),
    userName: textOf(row['user_name']),
    isActive: isTrue(row['is_active']),
    isAdmin: isTrue(row['is_admin']),
  }
}

/** Reads an employee with the columns `shares_id`, `bound_to`, `asker_bound_to` and `last_ended_at`. */
export function readCandidate(row: Row): Candidate {
  const { bound_to: boundTo, asker_bound_to: askerBoundTo, last_ended_at: lastEndedAt } = row
  return {
    ...readEmployee(row),
    sharesId: isTrue(row['shares_id']),
    boundTo: boundTo === null ? null : textOf(boundTo),
    askerBoundTo: askerBoundTo === null ? null : textOf(askerBoundTo),
    // PostgreSQL's driver returns a BIGINT as text.
    lastEndedAt: lastEndedAt === null ? null : Number(lastEndedAt),
  }
}

/** Reads the column `id` of rows. */
export function readIds(rows: readonly Row[]): readonly string[] {
  return rows.map(({ id }) => String(id))
}

/**
 * Reads the row of a session check, which a store returns even without an employee: then its `id` is null. Its columns
 * `session_ended_at` and `employee_ended_at` are those of the revocations, and null without one.
 * @param endsFrom the earliest `ended_at` of a revocation of all the employee's sessions that ends this one
 */
export function readSessionState(row: Row | undefined, endsFrom: number): SessionState {
  if (!row) throw new TypeError('The check returned no row.')
  const { id, bound_to: boundTo, session_ended_at: sessionEndedAt, employee_ended_at: employeeEndedAt } = row
  const sharesId = isTrue(row['shares_id'])
  return {
    employee: id === null || sharesId ? null : readEmployee(row),
    sharesId,
    sessionEnded: sessionEndedAt !== null,
    // PostgreSQL's driver returns a BIGINT as text.
    employeeEnded: employeeEndedAt !== null && Number(employeeEndedAt) >= endsFrom,
    boundTo: boundTo === null ? null : textOf(boundTo),
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  throw new TypeError('The column is neither text nor a number.')
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 1n || value === '1' || value === 't' || value === 'true'
}
