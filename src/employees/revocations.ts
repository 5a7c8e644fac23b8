import { maxSessionMs } from '../settings/values.ts'

/** How long an employee's revocation stays in the store: the longest session, and a day for clocks that differ. */
export const keepRevocationMs = maxSessionMs + 24 * 3_600_000

/** Returns the `subject` that revokes one session in `homeport_ended_sessions`. */
export function sessionRevocation(sessionId: string): string {
  return `session:${sessionId}`
}

/** Returns the `subject` that revokes all sessions of an employee. */
export function employeeRevocation(employeeId: string): string {
  return `employee:${employeeId}`
}

/**
 * SQL for the end of a statement that inserts revocations of employees. Each gets a later `ended_at` than the one before,
 * even if the clock of the machine is behind: sessions are compared with it, not with the time.
 */
export const replaceRevocationSql = `ON CONFLICT (subject) DO UPDATE SET
    ended_at = CASE WHEN excluded.ended_at > homeport_ended_sessions.ended_at THEN excluded.ended_at
      ELSE homeport_ended_sessions.ended_at + 1 END,
    keep_until = CASE WHEN excluded.keep_until > homeport_ended_sessions.keep_until THEN excluded.keep_until
      ELSE homeport_ended_sessions.keep_until END`
