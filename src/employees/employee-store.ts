import { codeOf } from '../http/error-code.ts'
import type { StoreProblem } from './store-check.ts'

/** An employee in the HR table, or in a read-only view of it. */
export interface Employee {
  /** As text, whatever the column's type. */
  readonly id: string
  readonly userName: string
  readonly isActive: boolean
  readonly isAdmin: boolean
}

/** An employee whose name may match, with the bindings involved. */
export interface Candidate extends Employee {
  /** Whether a different record has the same id, so that nobody can be identified by it. */
  readonly sharesId: boolean
  /** Object ID that this employee is bound to; null when unbound. */
  readonly boundTo: string | null
  /** Employee that the asking object ID is bound to; null when unbound. */
  readonly askerBoundTo: string | null
  /** `ended_at` of the last revocation of all the employee's sessions; null without one. */
  readonly lastEndedAt: number | null
}

/** A session's state in the store. */
export interface SessionState {
  /** Null if the employee's record is gone, or a different record has the same id. */
  readonly employee: Employee | null
  readonly sharesId: boolean
  /** Whether this session was ended: by signing out or by a newer sign-in. */
  readonly sessionEnded: boolean
  /** Whether every session of the employee was ended since this one started. */
  readonly employeeEnded: boolean
  /** Object ID that the employee is bound to; null when unbound. */
  readonly boundTo: string | null
}

/**
 * Reads employees, and keeps bindings and revocations in Homeport’s tables; never writes employees. Every method throws
 * StoreFailure when the store fails. A store failure is never reported as "not found".
 */
export interface EmployeeStore {
  /**
   * Returns at most `candidateLimit` different employees whose lower-case name, as the store folds it, is in the list;
   * those named exactly `username` come first. One indexed read.
   */
  findByName(names: readonly string[], objectId: string, username: string): Promise<readonly Candidate[]>
  /** Binds an object ID to an employee. Returns false if either has been bound in the meantime. */
  bind(employeeId: string, objectId: string, now: number): Promise<boolean>
  /**
   * One indexed read.
   * @param endsFrom the earliest `ended_at` of a revocation of all the employee's sessions that ends this one
   */
  checkSession(sessionId: string, employeeId: string, endsFrom: number): Promise<SessionState>
  /** Ends a session everywhere. The revocation stays until `keepUntil`, when the session expires anyway. */
  endSession(sessionId: string, now: number, keepUntil: number): Promise<void>
  /** Ends every session of an employee. Of sessions that another service started, those up to `endedAt`. */
  endEmployeeSessions(employeeId: string, endedAt: number, keepUntil: number): Promise<void>
  /** Reports whether the store can be used, from a sample of the employees. */
  check(): Promise<readonly StoreProblem[]>
  /** Returns ids that different records share, a few if there are many. Reads every employee. */
  findSharedIds(): Promise<readonly string[]>
}

/** More candidates would not make a name less ambiguous. */
export const candidateLimit = 10

/** The store failed or timed out. `reason` is a code, which is safe to log. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly reason: string

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** Maximum employees whose flags the handler's check reads. */
export const checkSample = 100

/** Maximum wait for one query, in milliseconds. */
export const storeTimeoutMs = 5000

/** Waits for a store, and turns every failure and timeout into a StoreFailure. */
export async function fromStore<T>(work: Promise<T>, timeoutMs: number = storeTimeoutMs): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreFailure('timeout')), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    throw error instanceof StoreFailure ? error : new StoreFailure(reasonOf(error), error)
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code !== undefined) return code
  const message = error instanceof Error ? error.message : ''
  if (/no such (table|column)/.test(message)) return 'no-such-table'
  // D1 names SQLite's code after the message of a statement that failed, as in a full database.
  return /: (SQLITE_[A-Z_]+)/.exec(message)?.[1] ?? 'no-answer'
}
