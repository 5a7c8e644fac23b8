import { type EmployeeStore, StoreFailure } from '../employees/employee-store.ts'
import { type RouteResult, refusedCrossSite } from '../http/answer.ts'
import { clearCookie, readCookie, sessionCookie } from '../http/cookies.ts'
import { isSameOrigin } from '../http/headers.ts'
import type { Host } from '../http/hosts.ts'
import { checkSession, endEmployeeSessions, type User } from './check.ts'
import { inUse, openSession, type Session, type SessionRules } from './session.ts'

export interface SessionParts {
  readonly sessions: SessionRules
  readonly employees: EmployeeStore
  /** URL at which the provider ends its own session; null to leave that session open. */
  readonly providerLogoutUrl: string | null
}

/** Creates the routes that report and end a session. */
export function createSessionEndpoints({ sessions, employees, providerLogoutUrl }: SessionParts) {
  async function withUser(
    request: Request,
    host: Host,
    respond: (user: User) => Response,
  ): Promise<RouteResult> {
    const cookies = request.headers.get('cookie')
    const opened = await openSession(sessions, cookies, host.sessionHost)
    const session = inUse(sessions, opened)
    const check = await checkSession(sessions, employees, session)
    if (check.kind === 'user') {
      const { user, setCookie } = check
      const log = { employeeId: user.resourceId }
      return { response: respond(user), setCookies: setCookie ? [setCookie] : [], log }
    }
    // An idle session keeps its cookie: only with it can signing out, or in again, end a copy that is still in use.
    const keeps = readCookie(cookies, sessionCookie) === null || (opened !== null && session === null)
    const setCookies = keeps ? [] : [clearCookie(sessionCookie)]
    return { problem: { code: check.code }, setCookies, log: { employeeId: check.employeeId } }
  }

  function session(request: Request, host: Host): Promise<RouteResult> {
    return withUser(request, host, user => Response.json({ user }))
  }

  /** Percent-encodes names as a whole, and ids only where necessary: header values are ASCII. */
  function forward(request: Request, host: Host): Promise<RouteResult> {
    return withUser(request, host, ({ username, resourceId, isAdmin }) => {
      const headers = {
        'x-homeport-username': encodeURIComponent(username),
        'x-homeport-resource-id': resourceId.toWellFormed().replace(/[^!-$&-~]/gu, encodeURIComponent),
        'x-homeport-is-admin': isAdmin ? '1' : '0',
      }
      return new Response(null, { status: 204, headers })
    })
  }

  /**
   * Redirects a signed-in visitor to a path of this host; returns null for everyone else. Makes the forward route's
   * check: after a weaker one, the proxy would send the visitor back here, again and again.
   */
  async function sendOn(request: Request, host: Host, path: string): Promise<RouteResult | null> {
    const url = new URL(path, host.origin)
    const headers = { location: `${url.pathname}${url.search}${url.hash}` }
    try {
      const result = await withUser(request, host, () => new Response(null, { status: 302, headers }))
      return result.response ? result : null
    } catch (error) {
      // Shows the sign-in page instead. Signing in then reports the failure.
      if (error instanceof StoreFailure) return null
      throw error
    }
  }

  const endSession = ({ id, expiresAt }: Session) => employees.endSession(id, sessions.now(), expiresAt)

  async function logout(request: Request, host: Host): Promise<RouteResult> {
    if (!isSameOrigin(request.headers, host.origin)) return refusedCrossSite
    const ended = await openSession(sessions, request.headers.get('cookie'), host.sessionHost)
    if (ended) await endSession(ended)
    return {
      response: providerLogoutUrl
        ? Response.json({ url: providerLogoutUrl })
        : new Response(null, { status: 204 }),
      setCookies: [clearCookie(sessionCookie)],
      log: { employeeId: ended?.claims.resourceId },
    }
  }

  /** Ends every session of the user, or only this one if it is idle or has ended. */
  async function logoutAll(request: Request, host: Host): Promise<RouteResult> {
    if (!isSameOrigin(request.headers, host.origin)) return refusedCrossSite
    const own = await openSession(sessions, request.headers.get('cookie'), host.sessionHost)
    const result = await withUser(request, host, () => new Response(null, { status: 204 }))
    if (own && !result.response) await endSession(own)
    if (!own || !result.response) return result
    // This session must end too, even if it was issued by an instance whose clock is ahead.
    const until = Math.max(sessions.now(), own.issuedAt)
    await endEmployeeSessions(employees, own.claims.resourceId, until)
    return { ...result, setCookies: [clearCookie(sessionCookie)] }
  }

  return { session, forward, sendOn, logout, logoutAll }
}
