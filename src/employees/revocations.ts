/** Returns the `subject` that revokes one session in `homeport_ended_sessions`. */
export function sessionRevocation(sessionId: string): string {
  return `session:${sessionId}`
}

/** Returns the `subject` that revokes an employee's sessions up to a time. */
export function employeeRevocation(employeeId: string): string {
  return `employee:${employeeId}`
}
