import type { Candidate, Employee, SessionState } from './directory.ts'

/** A row as a driver gives it. */
export type Row = Readonly<Record<string, unknown>>

/**
 * An employee from the columns `id` (as text), `user_name`, `is_active`, `is_admin`. Whatever is not plainly true is
 * false, so that a column of an unexpected type lets nobody in and makes nobody an administrator.
 */
export function readEmployee(row: Row): Employee {
  return {
    id: textOf(row['id']),
    userName: textOf(row['user_name']),
    isActive: isTrue(row['is_active']),
    isAdmin: isTrue(row['is_admin']),
  }
}

/** An employee with the columns `bound_to` and `asker_bound_to`. */
export function readCandidate(row: Row): Candidate {
  const { bound_to: boundTo, asker_bound_to: askerBoundTo } = row
  return {
    ...readEmployee(row),
    boundTo: boundTo === null ? null : textOf(boundTo),
    askerBoundTo: askerBoundTo === null ? null : textOf(askerBoundTo),
  }
}

/** What the one row of a session check says; no row, no employee. */
export function readSessionState(row: Row | undefined): SessionState {
  return row ? { employee: readEmployee(row), ended: isTrue(row['ended']) } : { employee: null, ended: false }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  throw new TypeError('neither text nor number')
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 1n || value === '1' || value === 't' || value === 'true'
}
