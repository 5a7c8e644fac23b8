/** How `homeport_ended_sessions` names a single session. */
export function sessionSubject(sessionId: string): string {
  return `session:${sessionId}`
}

/** How it names every session of an employee that started up to a moment. */
export function employeeSubject(employeeId: string): string {
  return `employee:${employeeId}`
}
