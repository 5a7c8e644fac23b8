import type { User } from './check.ts'

/** What a proxy asks for in the query of its check. Other values of `path`, `cookie` and `navigate` count as none. */
export interface ForwardQuery {
  readonly isOpen: boolean
  /** Null for a value that is not known. */
  readonly asserts: boolean | null
  readonly takesCookies: boolean
  readonly redirects: boolean
}

export function readForwardQuery(query: URLSearchParams): ForwardQuery {
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
export function identityHeaders(
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
export function isReserved(name: string): boolean {
  return /x[^a-z0-9]homeport/.test(name)
}

/** Percent-encodes only what a header cannot hold, and the percent sign. */
function asHeader(text: string): string {
  return text.toWellFormed().replace(/[^!-$&-~]/gu, encodeURIComponent)
}
