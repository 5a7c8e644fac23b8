import { codeOf } from '../http/error-code.ts'

/** An employee as the HR table, or a read-only view over it, has them. */
export interface Employee {
  /** As text, whatever type the column has. */
  readonly id: string
  readonly userName: string
  readonly isActive: boolean
  readonly isAdmin: boolean
}

/** An employee whose name may be the one looked for, with what is known of bindings. */
export interface Candidate extends Employee {
  /** Directory id this employee is bound to; null when unbound. */
  readonly boundTo: string | null
  /** Employee the asking directory id is bound to; null when unbound. */
  readonly askerBoundTo: string | null
}

/** What the store says of a session now. */
export interface SessionState {
  /** Null when the employee's record is gone. */
  readonly employee: Employee | null
  /** Signed out, or ended by an operator. */
  readonly ended: boolean
}

/**
 * The one door to the employees, with a store behind it. Nothing here writes the employees themselves: bindings and
 * ended sessions are tables of our own. Every method throws StoreFailure when the store does not answer; no answer is
 * never "nobody".
 */
export interface EmployeeDirectory {
  /**
   * Employees whose name, in lower case as the store folds it, is one of these, at most `candidateLimit`. One indexed
   * read.
   */
  findByName(names: readonly string[], directoryId: string): Promise<readonly Candidate[]>
  /** Binds a directory id to an employee; false when either was bound in the meantime. */
  bind(employeeId: string, directoryId: string, now: number): Promise<boolean>
  /** One indexed read. */
  checkSession(sessionId: string, employeeId: string, issuedAt: number): Promise<SessionState>
  /** Ends a session everywhere. It is remembered until `keepUntil`, when it would have ended by itself. */
  endSession(sessionId: string, now: number, keepUntil: number): Promise<void>
  /** Whether the tables are there and readable. */
  probe(): Promise<void>
}

/** More candidates than this for one name would not make it less ambiguous. */
export const candidateLimit = 10

/** The store did not answer, or not in time. `reason` is safe to log: a code, never a text with data in it. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly reason: string

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** Longest wait for one answer of the store. */
export const storeTimeoutMs = 5000

/** Awaits a store's answer and turns every failure, silence included, into a StoreFailure. */
export async function answerOf<T>(work: Promise<T>, timeoutMs: number = storeTimeoutMs): Promise<T> {
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
  return error instanceof Error && /no such (table|column)/.test(error.message)
    ? 'no-such-table'
    : 'no-answer'
}
