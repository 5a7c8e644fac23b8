import type { Reply, RouteResult } from '../http/answer.ts'
import { otherCookies } from '../http/cookies.ts'
import { type HeaderReader, isNavigation, navigationHeaders } from '../http/headers.ts'
import type { Host } from '../http/hosts.ts'
import { isReturnPath } from '../settings/return-path.ts'
import type { Settings } from '../settings/table.ts'
import type { Assertions } from './assertion.ts'
import { proofOf, type SessionRules } from './session.ts'
import type { User } from './session-check.ts'
import type { WithUser } from './with-user.ts'

/** A proxy's check of a request, as each runtime reads it. */
export interface ForwardRequest {
  readonly host: Host
  /** What the proxy asks for. */
  readonly query: ForwardQuery
  /** Every header's name, in lower case. */
  readonly names: readonly string[]
  readonly headers: HeaderReader
  /** Whether the peer is a trusted proxy, whose X-Forwarded headers are believed; missing if there is none. */
  readonly isProxyTrusted?: (() => boolean) | undefined
}

export interface ForwardParts {
  readonly sessions: SessionRules
  readonly assertions: Assertions
  readonly settings: Pick<Settings, 'autoSignIn' | 'basePath' | 'emailHeader'>
  readonly withUser: WithUser
}

export type ForwardCheck = (request: ForwardRequest) => Promise<RouteResult>

const refusedHeader: RouteResult = { problem: { code: 'reserved-header' }, log: { security: true } }

/**
 * Creates the function that answers a proxy's check. With `navigate=redirect`, for proxies that hand any answer on, people without
 * a session get a redirect to the sign-in page. With `cookie=rest`, the answer has the visitor's cookies without the handler's. With
 * `path=open`, everybody passes, without an identity. No request passes with a header that the application could take for
 * one of the handler's, in any spelling: a proxy replaces only those that its configuration names.
 */
export function createForwardCheck({ sessions, assertions, settings, withUser }: ForwardParts): ForwardCheck {
  return async request => {
    const { host, headers, query } = request
    if (request.names.some(isReserved)) return refusedHeader
    const { isOpen, asserts, takesCookies, redirects } = query
    if (asserts === null) return { problem: { code: 'assertion-unknown' } }
    if (isOpen) return { reply: { status: 204, headers: {} } }
    const cookies = headers.get('cookie')
    const result = await withUser(cookies, host, async (user, session) => {
      const opensPage = isNavigation(headers) && methodOf(request) === 'GET'
      if (opensPage && proofOf(sessions, session) === 'due') return null
      const email = settings.emailHeader ? session.email : null
      const assertion = asserts ? await assertions.assertionOf(session, user, host, email) : null
      const others = takesCookies ? otherCookies(cookies) : null
      const identity = identityHeaders(user, email, assertion)
      return { status: 204, headers: others === null ? identity : { cookie: others, ...identity } }
    })
    const code = result.problem?.code
    const reply = redirects && code !== undefined ? toSignIn(settings, request) : null
    if (reply === null) return result
    const { setCookies = [], log = {} } = result
    // The sign-in page replaces the cookie of a session that has ended: only with it can the page say why.
    return { reply, setCookies: log.employeeId === undefined ? setCookies : [], log: { ...log, code } }
  }
}

/** Returns a redirect to the sign-in page for a tab that asks for a page or sends a form; null for everything else. */
function toSignIn({ basePath }: ForwardParts['settings'], request: ForwardRequest): Reply | null {
  const { headers, host } = request
  const method = methodOf(request)
  if (!['GET', 'HEAD', 'POST'].includes(method) || !isNavigation(headers)) return null
  // A form is not sent again: its data is lost, and its address can be one that takes only POST.
  const isForm = method === 'POST'
  const candidates = isForm ? [sentFrom(headers, host), '/'] : [forwarded(request, 'uri')]
  const path = candidates.find(candidate => isReturnPath(candidate, host.redirectUri, basePath))
  // Blank for a path that cannot be returned to, or is unknown: without `return`, the sign-in page asks for nothing.
  const location = `${basePath}/?${isForm ? 'form&' : ''}return=${path === undefined ? '' : asAscii(path, host)}`
  return { status: isForm ? 303 : 302, headers: { location, vary: navigationHeaders } }
}

/** Returns the method or the URI of the request that a proxy checks; blank if the proxy is not trusted, or says nothing. */
function forwarded({ headers, isProxyTrusted }: ForwardRequest, name: 'method' | 'uri'): string {
  return (isProxyTrusted?.() && headers.get(`x-forwarded-${name}`)) || ''
}

/**
 * Returns the method of the request that a proxy checks. If the proxy is not trusted, or does not say, a form is known by
 * headers that browsers send with it, and not with a page that opens.
 */
function methodOf(request: ForwardRequest): string {
  const sentWithForms = request.headers.get('content-type') ?? request.headers.get('origin')
  return forwarded(request, 'method') || (sentWithForms === null ? 'GET' : 'POST')
}

/** Returns the path of the page that a request was sent from; blank if that is another site's, or unknown. */
function sentFrom(headers: HeaderReader, { origin }: Host): string {
  const page = URL.parse(headers.get('referer') ?? '')
  return page?.origin === origin ? page.pathname + page.search : ''
}

/** Returns a path as a browser sends it. */
export function asAscii(path: string, { origin }: Host): string {
  const { pathname, search, hash } = new URL(path, origin)
  return pathname + search + hash
}

/** What a proxy asks for in the query of its check. Other values of `path`, `cookie` and `navigate` count as none. */
export interface ForwardQuery {
  readonly isOpen: boolean
  /** Null for a value that is not known. */
  readonly asserts: boolean | null
  readonly takesCookies: boolean
  readonly redirects: boolean
}

/** Reads the query of a check's target, with or without its question mark. */
export function readForwardQuery(search: string): ForwardQuery {
  const query = new URLSearchParams(search)
  const asserted = query.getAll('assertion')
  return {
    asserts: asserted.length === 0 ? false : asserted.join() === 'yes' || null,
    isOpen: query.get('path') === 'open',
    takesCookies: query.get('cookie') === 'rest',
    redirects: query.get('navigate') === 'redirect',
  }
}

/**
 * Returns the headers that tell an application who asks, in the order of their names.
 * @param email null if it gets none
 * @param assertion null if the proxy did not ask for it
 */
function identityHeaders(
  { username, resourceId, isAdmin }: User,
  email: string | null,
  assertion: string | null,
) {
  return {
    ...(assertion === null ? {} : { 'x-homeport-assertion': assertion }),
    ...(email === null ? {} : { 'x-homeport-email': asHeader(email) }),
    'x-homeport-is-admin': isAdmin ? '1' : '0',
    'x-homeport-resource-id': asHeader(resourceId),
    'x-homeport-username': encodeURIComponent(username),
  }
}

/** Whether a header's name contains `x-homeport`. CGI, WSGI and PHP read other characters as `-`, at least the underscore. */
function isReserved(name: string): boolean {
  return /x[^a-z0-9]homeport/.test(name)
}

/** Percent-encodes only what a header cannot hold, and the percent sign. */
function asHeader(text: string): string {
  return text.toWellFormed().replace(/[^!-$&-~]/gu, encodeURIComponent)
}
