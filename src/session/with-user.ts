import type { EmployeeStore } from '../employees/employee-store.ts'
import type { Reply, RouteResult } from '../http/answer.ts'
import { clearCookie, readCookie, sessionCookie, signedOut } from '../http/cookies.ts'
import type { Host } from '../http/hosts.ts'
import { inUse, openSession, proofOf, type Session, type SessionRules } from './session.ts'
import { checkSession, type User } from './session-check.ts'

/** Answers for the user of the session in a Cookie header, or with the problem why there is none. @throws StoreFailure */
export type WithUser = (
  cookies: string | null,
  host: Host,
  respond: (user: User, session: Session) => Reply | Promise<Reply>,
) => Promise<RouteResult>

/** @param signOutCookie Set-Cookie value for a session that the store has ended */
export function createWithUser(
  sessions: SessionRules,
  employees: EmployeeStore,
  signOutCookie: string,
): WithUser {
  return async (cookies, host, respond) => {
    const opened = await openSession(sessions, cookies, host)
    const session = inUse(sessions, opened)
    const check = await checkSession(sessions, employees, session)
    if (check.kind === 'user' && proofOf(sessions, check.session) === 'over') return unproved(check.session)
    if (check.kind === 'user') {
      const { user, setCookie } = check
      return {
        reply: await respond(user, check.session),
        setCookies: setCookie ? [setCookie] : [],
        log: { employeeId: user.resourceId },
      }
    }
    // An idle session keeps its cookie: only with it can signing out, or in again, end a copy that is still in use.
    // One that the store has ended must not come back by itself, as after signing out.
    const hasNone = [null, signedOut].includes(readCookie(cookies, sessionCookie))
    const keepsCookie = hasNone || check.isEarly || (opened !== null && session === null)
    const setCookies = keepsCookie ? [] : [session === null ? clearCookie(sessionCookie) : signOutCookie]
    return { problem: { code: check.code }, setCookies, log: { employeeId: check.employeeId } }
  }
}

/** Refuses a session whose account Entra has not confirmed for too long. It keeps its cookie: with it, Entra can be asked. */
export function unproved({ claims }: Session): RouteResult {
  return { problem: { code: 'signed-out' }, log: { employeeId: claims.resourceId } }
}
