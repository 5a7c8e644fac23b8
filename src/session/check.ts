import type { Employee, EmployeeDirectory } from '../employees/directory.ts'
import type { ProblemCode } from '../http/problem.ts'
import { readSession, type Session, type SessionClaims, type SessionRules, sealSession } from './session.ts'

/** Who is signed in, as the interface gives it. */
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
      /** A Set-Cookie value where the cookie has to follow what the store says, or the idle limit; else null. */
      readonly setCookie: string | null
    }
  | {
      readonly kind: 'refused'
      readonly code: ProblemCode
      /** Undefined where the cookie did not even open. */
      readonly employeeId: string | undefined
    }

/** How much of the idle time passes before the cookie is written again, so that not every request writes one. */
const renewAfterShare = 0.1

/**
 * Who is signed in by the cookies of a request, as the store says now: a session that was signed out, an employee who
 * was deactivated or removed, and a changed admin flag count from the next request on (ASVS 5.0 7.4.1, 7.4.2). Throws
 * StoreFailure.
 */
export async function checkSession(
  rules: SessionRules,
  directory: EmployeeDirectory,
  cookieHeader: string | null,
): Promise<SessionCheck> {
  const session = await readSession(rules, cookieHeader)
  if (!session) return { kind: 'refused', code: 'signed-out', employeeId: undefined }
  const employeeId = session.claims.resourceId
  const { employee, ended } = await directory.checkSession(session.id, employeeId, session.issuedAt)
  if (ended) return { kind: 'refused', code: 'signed-out', employeeId }
  if (!employee) return { kind: 'refused', code: 'not-in-system', employeeId }
  if (!employee.isActive) return { kind: 'refused', code: 'inactive', employeeId }
  return { kind: 'user', user: userOf(employee), session, setCookie: await renew(rules, session, employee) }
}

async function renew(rules: SessionRules, session: Session, employee: Employee): Promise<string | null> {
  const now = (rules.now ?? Date.now)()
  const claims = claimsOf(employee)
  const changed = claims.username !== session.claims.username || claims.isAdmin !== session.claims.isAdmin
  const due = rules.idleMs !== null && now - session.seenAt >= rules.idleMs * renewAfterShare
  return changed || due ? sealSession(rules, { ...session, claims, seenAt: now }) : null
}
