import { maxSessionMs } from '../settings/values.ts'

/** How long an employee's revocation is kept: the longest session, and a day for clocks that differ. */
export const keepRevocationMs = maxSessionMs + 24 * 3_600_000

/** Returns the `subject` that revokes one session in `homeport_ended_sessions`. */
export function sessionRevocation(sessionId: string): string {
  return `session:${sessionId}`
}

/** Returns the `subject` that revokes an employee's sessions up to a time. */
export function employeeRevocation(employeeId: string): string {
  return `employee:${employeeId}`
}
