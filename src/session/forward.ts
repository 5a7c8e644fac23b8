import { otherCookies } from '../http/cookies.ts'
import type { User } from './check.ts'

/** What a proxy asks for in the query of its check; null for what it does not ask for. */
export interface ForwardQuery {
  readonly path: 'open' | null
  readonly cookie: 'rest' | null
  readonly navigate: 'redirect' | null
}

/** Reads the query of a check. Other values of a parameter count as none. */
export function readForwardQuery(query: URLSearchParams): ForwardQuery {
  const value = <T extends string>(name: string, known: T) => (query.get(name) === known ? known : null)
  return {
    path: value('path', 'open'),
    cookie: value('cookie', 'rest'),
    navigate: value('navigate', 'redirect'),
  }
}

/**
 * Returns the headers that tell an application who asks.
 * @param email null if it gets none
 * @param cookies the visitor's Cookie header, to hand on without the handler's; null for no cookies
 */
export function identityHeaders(user: User, email: string | null, cookies: string | null) {
  const others = cookies === null ? null : otherCookies(cookies)
  return {
    'x-homeport-username': encodeURIComponent(user.username),
    'x-homeport-resource-id': asHeader(user.resourceId),
    'x-homeport-is-admin': user.isAdmin ? '1' : '0',
    ...(email === null ? {} : { 'x-homeport-email': asHeader(email) }),
    ...(others === null ? {} : { cookie: others }),
  }
}

/** Whether a header's name contains `x-homeport`. CGI, WSGI and PHP read other characters as `-`, at least the underscore. */
export function isReserved(name: string): boolean {
  return /x[^a-z0-9]homeport/.test(name)
}

/** Percent-encodes only what a header cannot hold, and the percent sign. */
function asHeader(text: string): string {
  return text.toWellFormed().replace(/[^!-$&-~]/gu, encodeURIComponent)
}
