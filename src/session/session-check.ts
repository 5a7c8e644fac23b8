import type { Employee, EmployeeStore } from '../employees/employee-store.ts'
import { keepRevocationMs } from '../employees/revocations.ts'
import type { ProblemCode } from '../http/problem.ts'
import { resealSession, type Session, type SessionClaims, type SessionRules } from './session.ts'

/** The signed-in user as the API returns it. */
export interface User {
  readonly username: string
  readonly resourceId: string
  readonly isAdmin: boolean
}

export function userOf(employee: Employee): User {
  return { username: employee.userName, resourceId: employee.id, isAdmin: employee.isAdmin }
}

export function claimsOf(employee: Employee): SessionClaims {
  return { username: employee.userName, resourceId: employee.id, isAdmin: employee.isAdmin ? 1 : 0 }
}

export type SessionCheck =
  | {
      readonly kind: 'user'
      readonly user: User
      readonly session: Session
      /** A Set-Cookie value if the store's claims differ or the idle limit must be extended; else null. */
      readonly setCookie: string | null
    }
  | {
      readonly kind: 'refused'
      readonly code: ProblemCode
      /** Undefined without a readable session. */
      readonly employeeId: string | undefined
      /** Whether the store may lag behind the sign-in, so that the session can count at the next request. */
      readonly isEarly?: boolean
    }

/** Share of the idle limit after which the cookie is renewed, so that not every response sets it. */
const renewAfterShare = 0.1

/** Time after a sign-in in which a store that does not show its binding may only lag, in milliseconds. */
const lagMs = 60_000

/**
 * Returns the session's user as the store has them now. A revoked session, a deactivated or removed employee, a changed
 * binding and a changed admin flag take effect with the next request (ASVS 5.0 7.4.1, 7.4.2).
 * @param session null when the request has none
 * @throws StoreFailure
 */
export async function checkSession(
  rules: SessionRules,
  employees: EmployeeStore,
  session: Session | null,
): Promise<SessionCheck> {
  if (!session) return { kind: 'refused', code: 'signed-out', employeeId: undefined }
  const employeeId = session.claims.resourceId
  const state = await employees.checkSession(session.id, employeeId, session.endsFrom)
  const { employee, sharesId } = state
  if (!employee?.isActive) {
    if (!state.employeeEnded) {
      const now = Math.max(rules.now(), session.issuedAt)
      await endEmployeeSessions(employees, employeeId, now)
    }
    const code = sharesId ? 'ambiguous-employee' : employee ? 'inactive' : 'not-in-system'
    return { kind: 'refused', code, employeeId }
  }
  const rebound = session.boundTo !== null && session.boundTo !== state.boundTo
  if (state.sessionEnded || state.employeeEnded || rebound) {
    const isShown = state.sessionEnded || state.employeeEnded || state.boundTo !== null
    const isEarly = !isShown && rules.now() - session.issuedAt < lagMs
    return { kind: 'refused', code: 'signed-out', employeeId, isEarly }
  }
  return { kind: 'user', user: userOf(employee), session, setCookie: await renew(rules, session, employee) }
}

/**
 * Ends every session of an employee who is inactive or removed, or shares an id, so that none comes back if the employee is
 * activated, or if another person keeps or gets the id (ASVS 5.0 7.4.2).
 * @throws StoreFailure
 */
export function endEmployeeSessions(
  employees: EmployeeStore,
  employeeId: string,
  now: number,
): Promise<void> {
  return employees.endEmployeeSessions(employeeId, now, now + keepRevocationMs)
}

async function renew(rules: SessionRules, session: Session, employee: Employee): Promise<string | null> {
  const now = rules.now()
  const claims = claimsOf(employee)
  const changed = claims.username !== session.claims.username || claims.isAdmin !== session.claims.isAdmin
  const due = rules.idleMs !== null && now - session.seenAt >= rules.idleMs * renewAfterShare
  return changed || due ? resealSession(rules, { ...session, claims, seenAt: now }) : null
}
