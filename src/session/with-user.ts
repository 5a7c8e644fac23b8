import type { EmployeeStore } from '../employees/employee-store.ts'
import type { Reply, RouteResult } from '../http/answer.ts'
import { clearCookie, readCookie, sessionCookie, signedOut } from '../http/cookies.ts'
import type { Host } from '../http/hosts.ts'
import { inUse, openSession, proofOf, type Session, type SessionRules } from './session.ts'
import { checkSession, type User } from './session-check.ts'

/**
 * Answers for the user of the session in a Cookie header, or with the problem why there is none.
 * @param respond returns null if Entra has to confirm the account first
 * @throws StoreFailure
 */
export type WithUser = (
  cookies: string | null,
  host: Host,
  respond: (user: User, session: Session) => Reply | null | Promise<Reply | null>,
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
    if (check.kind === 'user') {
      const { user, setCookie } = check
      const log = { employeeId: user.resourceId }
      const reply = proofOf(sessions, check.session) === 'over' ? null : await respond(user, check.session)
      // Unconfirmed, it keeps its cookie: with it, Entra can be asked.
      if (reply === null) return { problem: { code: 'signed-out' }, log }
      return { reply, setCookies: setCookie ? [setCookie] : [], log }
    }
    // An idle session keeps its cookie: only with it can signing out, or in again, end a copy that is still in use.
    // One that the store has ended must not come back by itself, as after signing out.
    const hasNone = [null, signedOut].includes(readCookie(cookies, sessionCookie))
    const keepsCookie = hasNone || check.isEarly || (opened !== null && session === null)
    const setCookies = keepsCookie ? [] : [session === null ? clearCookie(sessionCookie) : signOutCookie]
    return { problem: { code: check.code }, setCookies, log: { employeeId: check.employeeId } }
  }
}
