import { createNetworkLimit } from '../../lib/network-limit.ts'
import { type EmployeeStore, StoreFailure } from '../employees/employee-store.ts'
import { type RequestContext, type RouteResult, refusedCrossSite } from '../http/answer.ts'
import {
  clearCookie,
  otherCookies,
  readCookie,
  sessionCookie,
  signedOut,
  writeCookie,
} from '../http/cookies.ts'
import { isNavigation, isSameOrigin, navigationHeaders } from '../http/headers.ts'
import type { Host } from '../http/hosts.ts'
import type { ProblemCode } from '../http/problem.ts'
import { isReturnPath } from '../settings/return-path.ts'
import type { Settings } from '../settings/table.ts'
import { maxSessionMs } from '../settings/values.ts'
import type { Assertions } from './assertion.ts'
import { checkSession, endEmployeeSessions, type SessionCheck, type User } from './check.ts'
import { identityHeaders, isReserved, readForwardQuery } from './forward.ts'
import { inUse, openSession, proofOf, type Session, type SessionRules } from './session.ts'

export interface SessionParts {
  readonly sessions: SessionRules
  readonly assertions: Assertions
  readonly employees: EmployeeStore
  readonly settings: Pick<Settings, 'autoSignIn' | 'basePath' | 'emailHeader'>
  /** URL at which Entra ends its own session; null to leave that session open. */
  readonly providerLogoutUrl: string | null
}

/** Sends a form of the sign-in page: to start by itself, or to somebody with a session. */
export type SendPage = (
  name: 'signIn' | 'signInStart' | 'signInRecheck' | 'signedIn' | 'onward',
  notice?: 'ended' | 'inactive' | 'form' | null,
) => Promise<{ readonly response: Response }>

/** How a proxy sent a visitor to the sign-in page. */
export interface SentBy {
  /** Null without one that can be returned to. */
  readonly path: string | null
  /** Whether there is a path at all. */
  readonly isSent: boolean
  /** Whether a form was lost on the way. */
  readonly isForm: boolean
  /** Whether the check found the employee inactive. Counts only with the mark of an ended session. */
  readonly isInactive: boolean
}

/**
 * Redirects of one session to the same path within a period after which a page takes their place, in which the tab counts: a
 * session that counts here and not at the application's check would go round for ever.
 */
const maxSentOn = 3
const sentOnPeriodMs = 10_000

/** Creates the routes that report and end a session. */
export function createSessionEndpoints({
  sessions,
  assertions,
  employees,
  settings,
  providerLogoutUrl,
}: SessionParts) {
  // The longest time that a session can have: the last person's must not come back by itself.
  const signOutCookie = settings.autoSignIn
    ? writeCookie(sessionCookie, signedOut, maxSessionMs)
    : clearCookie(sessionCookie)

  const sentOn = createNetworkLimit(maxSentOn, sessions.now, null, sentOnPeriodMs)

  async function withUser(
    request: Request,
    host: Host,
    respond: (user: User, session: Session) => Response | Promise<Response>,
    checking?: Promise<SessionCheck>,
  ): Promise<RouteResult> {
    const cookies = request.headers.get('cookie')
    const opened = await openSession(sessions, cookies, host)
    const session = inUse(sessions, opened)
    const check = await (checking ?? checkSession(sessions, employees, session))
    if (check.kind === 'user' && proofOf(sessions, check.session) === 'over') return unproved(check.session)
    if (check.kind === 'user') {
      const { user, setCookie } = check
      const log = { employeeId: user.resourceId }
      return {
        response: await respond(user, check.session),
        setCookies: setCookie ? [setCookie] : [],
        log,
      }
    }
    // An idle session keeps its cookie: only with it can signing out, or in again, end a copy that is still in use.
    // One that the store has ended must not come back by itself, as after signing out.
    const hasNone = [null, signedOut].includes(readCookie(cookies, sessionCookie))
    const keepsCookie = hasNone || check.isEarly || (opened !== null && session === null)
    const setCookies = keepsCookie ? [] : [session === null ? clearCookie(sessionCookie) : signOutCookie]
    return { problem: { code: check.code }, setCookies, log: { employeeId: check.employeeId } }
  }

  /** Refuses a session whose account Entra has not confirmed for too long. It keeps its cookie: with it, Entra can be asked. */
  const unproved = ({ claims }: Session): RouteResult => ({
    problem: { code: 'signed-out' },
    log: { employeeId: claims.resourceId },
  })

  function session(request: Request, host: Host): Promise<RouteResult> {
    return withUser(request, host, user => Response.json({ user }))
  }

  /**
   * Answers a proxy's check. With `navigate=redirect`, for proxies that hand any answer on, people without a session get a
   * redirect to the sign-in page. With `cookie=rest`, the answer has the visitor's cookies without the handler's. With
   * `path=open`, everybody passes, without an identity. No request passes with a header that the application could take for
   * one of the handler's, in any spelling: a proxy replaces only those that its configuration names.
   */
  async function forward(request: Request, host: Host, context: RequestContext): Promise<RouteResult> {
    if ([...request.headers.keys()].some(isReserved)) return refusedHeader
    const { isOpen, asserts, takesCookies, redirects } = readForwardQuery(new URL(request.url).searchParams)
    if (asserts === null) return { problem: { code: 'assertion-unknown' } }
    if (isOpen) return { response: new Response(null, { status: 204 }) }
    const cookies = takesCookies ? otherCookies(request.headers.get('cookie')) : null
    let due: Session | null = null
    const respond = async (user: User, session: Session) => {
      const opensPage = isNavigation(request.headers) && methodOf(request.headers, context) === 'GET'
      if (opensPage && proofOf(sessions, session) === 'due') due = session
      const email = settings.emailHeader ? session.email : null
      const assertion = asserts ? await assertions.assertionOf(session, user, host, email) : null
      const headers = new Headers(identityHeaders(user, email, assertion))
      if (cookies !== null) headers.set('cookie', cookies)
      return new Response(null, { status: 204, headers })
    }
    const checked = await withUser(request, host, respond, context.check)
    const result = due === null ? checked : unproved(due)
    if (!redirects || result.problem?.code === undefined) return result
    const response = toSignIn(request, host, context, result.problem.code)
    if (!response) return result
    const { setCookies = [], log = {} } = result
    return { response, setCookies, log: { ...log, code: result.problem.code } }
  }

  /** Returns a redirect to the sign-in page for a tab that asks for a page or sends a form; null for everything else. */
  function toSignIn(
    { headers }: Request,
    host: Host,
    context: RequestContext,
    code: ProblemCode,
  ): Response | null {
    const method = methodOf(headers, context)
    if (!['GET', 'HEAD', 'POST'].includes(method) || !isNavigation(headers)) return null
    // A form is not sent again: its data is lost, and its address can be one that takes only POST.
    const isForm = method === 'POST'
    const asked = isForm ? [sentFrom(headers, host), '/'] : [forwarded(headers, context, 'uri')]
    const { basePath } = settings
    const path = asked.find(candidate => isReturnPath(candidate, host.redirectUri, basePath))
    // Blank for a path that cannot be returned to, or is unknown: without `return`, the sign-in page asks for nothing.
    const marks = `${isForm ? 'form&' : ''}${code === 'inactive' && settings.autoSignIn ? 'inactive&' : ''}`
    const location = `${basePath}/?${marks}return=${path === undefined ? '' : asAscii(path, host)}`
    const status = isForm ? 303 : 302
    return new Response(null, { status, headers: { location, vary: navigationHeaders } })
  }

  /**
   * Answers a request for the sign-in page: redirects a signed-in visitor to the path, if there is one. Makes the forward
   * route's check: after a weaker one, the proxy would send the visitor back here, again and again.
   */
  async function signInPage(
    request: Request,
    host: Host,
    { path, isSent, isForm, isInactive }: SentBy,
    send: SendPage,
  ): Promise<RouteResult> {
    const cookie = readCookie(request.headers.get('cookie'), sessionCookie)
    const lost = isForm ? 'form' : null
    if (cookie === signedOut)
      return send('signIn', lost ?? (isInactive ? 'inactive' : isSent ? 'ended' : null))
    if (cookie === null)
      return send(isSent && !isForm && settings.autoSignIn ? 'signInStart' : 'signIn', lost)
    try {
      let recheck = false
      let place = ''
      const result = await withUser(request, host, (_user, session) => {
        recheck = proofOf(sessions, session) === 'due'
        place = `${session.id} ${path}`
        const headers = { location: asAscii(path ?? '/', host) }
        return new Response(null, { status: 302, headers })
      })
      const current = inUse(sessions, await openSession(sessions, request.headers.get('cookie'), host))
      const isOver = !result.response && current !== null && proofOf(sessions, current) === 'over'
      if (isOver && isForm) return send('signIn', lost)
      if (isSent && (recheck || isOver)) return send('signInRecheck')
      if (result.response && path !== null) {
        if (sentOn.waitSeconds(place) > 0) return { ...result, ...(await send('onward')) }
        await sentOn.count(place)
        return result
      }
      if (result.response) return { ...result, ...(await send('signedIn')) }
      const notice = lost ?? (result.problem?.code === 'inactive' ? 'inactive' : 'ended')
      return { ...result, ...(await send('signIn', notice)) }
    } catch (error) {
      // Signing in then reports the failure.
      if (error instanceof StoreFailure) return send('signIn', lost)
      throw error
    }
  }

  const endSession = ({ id, expiresAt }: Session) => employees.endSession(id, sessions.now(), expiresAt)

  async function logout(request: Request, host: Host): Promise<RouteResult> {
    if (!isSameOrigin(request.headers, host.origin)) return refusedCrossSite
    const ended = await openSession(sessions, request.headers.get('cookie'), host)
    if (ended) await endSession(ended)
    return {
      response: providerLogoutUrl
        ? Response.json({ url: providerLogoutUrl }, { headers: clearing })
        : new Response(null, { status: 204 }),
      setCookies: [signOutCookie],
      log: { employeeId: ended?.claims.resourceId },
    }
  }

  /** Ends every session of the user, or only this one if it is idle or has ended. */
  async function logoutAll(request: Request, host: Host): Promise<RouteResult> {
    if (!isSameOrigin(request.headers, host.origin)) return refusedCrossSite
    const ended = await openSession(sessions, request.headers.get('cookie'), host)
    const result = await withUser(
      request,
      host,
      () => new Response(null, { status: 204, headers: providerLogoutUrl ? clearing : {} }),
    )
    if (ended && !result.response) await endSession(ended)
    if (!ended || !result.response) return result
    // This session must end too, even if it was issued by an instance whose clock is ahead.
    const until = Math.max(sessions.now(), ended.issuedAt)
    await endEmployeeSessions(employees, ended.claims.resourceId, until)
    return { ...result, setCookies: [signOutCookie] }
  }

  async function publicKeys(): Promise<RouteResult> {
    const headers = { 'cache-control': 'max-age=300' }
    return { response: Response.json(await assertions.publicKeys(), { headers }) }
  }

  return { session, forward, publicKeys, signInPage, logout, logoutAll }
}

/**
 * Has a browser forget the pages that it keeps for Back. Only for shared machines: Chromium holds the answer for seconds while it
 * clears its cache.
 */
const clearing = { 'clear-site-data': '"cache"' }

const refusedHeader: RouteResult = { problem: { code: 'reserved-header' }, log: { security: true } }

/** Returns the method or the URI of the request that a proxy checks; blank if the proxy is not trusted, or says nothing. */
function forwarded(headers: Headers, { isProxyTrusted }: RequestContext, name: 'method' | 'uri'): string {
  return (isProxyTrusted?.() && headers.get(`x-forwarded-${name}`)) || ''
}

/**
 * Returns the method of the request that a proxy checks. If the proxy is not trusted, or does not say, a form is known by
 * headers that browsers send with it, and not with a page that opens.
 */
function methodOf(headers: Headers, context: RequestContext): string {
  const looksLikeForm = headers.has('content-type') || headers.has('origin')
  return forwarded(headers, context, 'method') || (looksLikeForm ? 'POST' : 'GET')
}

/** Returns the path of the page that a request was sent from; blank if that is another site's, or unknown. */
function sentFrom(headers: Headers, { origin }: Host): string {
  const page = URL.parse(headers.get('referer') ?? '')
  return page?.origin === origin ? page.pathname + page.search : ''
}

/** Returns a path as a browser sends it. */
function asAscii(path: string, { origin }: Host): string {
  const { pathname, search, hash } = new URL(path, origin)
  return pathname + search + hash
}
