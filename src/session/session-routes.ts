import { createNetworkLimit } from '../../lib/network-limit.ts'
import { type EmployeeStore, StoreFailure } from '../employees/employee-store.ts'
import {
  jsonReply,
  type Reply,
  type RequestContext,
  type RouteResult,
  refusedCrossSite,
} from '../http/answer.ts'
import { clearCookie, readCookie, sessionCookie, signedOut, writeCookie } from '../http/cookies.ts'
import { isSameOrigin } from '../http/headers.ts'
import type { Host } from '../http/hosts.ts'
import { isReturnPath } from '../settings/return-path.ts'
import { maxSessionMs } from '../settings/values.ts'
import { asAscii, createForwardCheck, type ForwardParts, readForwardQuery } from './forward.ts'
import { openSession, proofOf, readSession, type Session } from './session.ts'
import { endEmployeeSessions } from './session-check.ts'
import { createWithUser } from './with-user.ts'

export interface SessionParts extends Omit<ForwardParts, 'withUser'> {
  readonly employees: EmployeeStore
  /** URL at which Entra ends its own session; null to leave that session open. */
  readonly providerLogoutUrl: string | null
}

/** Sends a variant of the sign-in page, such as one that starts by itself or one for somebody with a session. */
type SendPage = (
  name: 'signIn' | 'signInStart' | 'signInRecheck' | 'signedIn' | 'onward',
  notices: readonly ('ended' | 'inactive' | 'form' | 'open-again')[],
) => Promise<{ readonly reply: Reply }>

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

  const withUser = createWithUser(sessions, employees, signOutCookie)
  const check = createForwardCheck({ sessions, assertions, settings, withUser })

  function session(request: Request, host: Host): Promise<RouteResult> {
    return withUser(request.headers.get('cookie'), host, user => jsonReply({ user }))
  }

  /** Answers a proxy's check. */
  function forward({ headers, url }: Request, host: Host, context: RequestContext): Promise<RouteResult> {
    const query = readForwardQuery(new URL(url).search)
    return check({ host, query, names: [...headers.keys()], headers, ...context })
  }

  /**
   * Answers a request for the sign-in page: redirects a signed-in visitor to the path, if there is one. Makes the forward
   * route's check: after a weaker one, the proxy would send the visitor back here, again and again. The
   * `path` is the one that a proxy sent the visitor with, and `isForm` says that a form was lost on the way.
   */
  async function signInPage(
    request: Request,
    host: Host,
    { path, isForm }: { readonly path: string | null; readonly isForm: boolean },
    sendPage: SendPage,
  ): Promise<RouteResult> {
    const isSent = path !== null
    const isUsable = isSent && isReturnPath(path, host.redirectUri, settings.basePath)
    function send(name: Parameters<SendPage>[0], notice: 'ended' | 'inactive' | 'form' | null = null) {
      const own = notice === null ? [] : [notice]
      return sendPage(name, isSent && !isUsable ? [...own, 'open-again'] : own)
    }
    const cookies = request.headers.get('cookie')
    const cookie = readCookie(cookies, sessionCookie)
    const lost = isForm ? 'form' : null
    if (cookie === signedOut) return send('signIn', lost ?? (isSent ? 'ended' : null))
    if (cookie === null)
      return send(isSent && !isForm && settings.autoSignIn ? 'signInStart' : 'signIn', lost)
    try {
      const session = await readSession(sessions, cookies, host)
      const proof = session && proofOf(sessions, session)
      const location = asAscii(isUsable ? path : '/', host)
      const result = await withUser(cookies, host, () => ({ status: 302, headers: { location } }))
      if (proof === 'over' && isForm) return send('signIn', lost)
      if (isSent && proof === (result.reply ? 'due' : 'over')) return send('signInRecheck')
      if (result.reply && isUsable) {
        const place = `${session?.id} ${path}`
        if (sentOn.waitSeconds(place) > 0) return { ...result, ...(await send('onward')) }
        await sentOn.count(place)
        return result
      }
      if (result.reply) return { ...result, ...(await send('signedIn')) }
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
      reply: providerLogoutUrl
        ? jsonReply({ url: providerLogoutUrl }, { headers: clearing })
        : { status: 204, headers: {} },
      setCookies: [signOutCookie],
      log: { employeeId: ended?.claims.resourceId },
    }
  }

  /** Ends every session of the user, or only this one if it is idle or has ended. */
  async function logoutAll(request: Request, host: Host): Promise<RouteResult> {
    if (!isSameOrigin(request.headers, host.origin)) return refusedCrossSite
    const ended = await openSession(sessions, request.headers.get('cookie'), host)
    const headers: Record<string, string> = providerLogoutUrl ? clearing : {}
    const result = await withUser(request.headers.get('cookie'), host, () => ({ status: 204, headers }))
    if (ended && !result.reply) await endSession(ended)
    if (result.problem) return { ...result, problem: { ...result.problem, headers } }
    if (!ended) return result
    // This session must end too, even if it was issued by an instance whose clock is ahead.
    const until = Math.max(sessions.now(), ended.issuedAt)
    await endEmployeeSessions(employees, ended.claims.resourceId, until)
    return { ...result, setCookies: [signOutCookie] }
  }

  async function publicKeys(): Promise<RouteResult> {
    const headers = { 'cache-control': 'max-age=300' }
    return { reply: jsonReply(await assertions.publicKeys(), { headers }) }
  }

  return { session, check, forward, publicKeys, signInPage, logout, logoutAll }
}

/**
 * Has a browser forget the pages that it keeps for Back. Only for shared machines: Chromium holds the answer for seconds while it
 * clears its cache.
 */
const clearing = { 'clear-site-data': '"cache"' }
