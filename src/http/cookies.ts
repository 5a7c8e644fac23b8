import { trimmed } from '../../lib/trimmed.ts'

/** Browsers require Secure, Path=/ and no Domain for this prefix (RFC 6265bis §4.1.3.2; ASVS 5.0 3.3.3). */
export const transactionCookie = '__Host-homeport-transaction'
export const sessionCookie = '__Host-homeport-session'

export type CookieName = typeof transactionCookie | typeof sessionCookie

/** Returns the pairs of a Cookie header. `trim` would also strip U+00A0 or U+2000, and turn another site's cookie name into ours. */
function pairsOf(header: string | null): readonly string[] {
  return (header ?? '').split(';').map(pair => trimmed(pair, ' \t'))
}

/**
 * Returns a cookie's value in a Cookie header (RFC 6265 §5.4); null if it is missing, empty or sent twice. Browsers let a
 * sibling host set a name that only looks like `__Host-…`, so the name is compared byte for byte.
 */
export function readCookie(header: string | null, name: CookieName): string | null {
  const values = pairsOf(header)
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
  return values.length === 1 && values[0] !== '' ? (values[0] ?? null) : null
}

/** Returns the cookies of a Cookie header without the handler's, in any spelling; null if there are no others. */
export function otherCookies(header: string | null): string | null {
  const others = pairsOf(header).filter(pair => pair !== '' && !/__host-homeport-/i.test(pair))
  return others.join('; ') || null
}

/**
 * Returns a Set-Cookie value. Scripts cannot read the cookie, and requests from other sites do not carry it. Lax
 * instead of Strict, so that people who follow a link from an email to a protected page are still signed in.
 */
export function writeCookie(name: CookieName, value: string, maxAgeMs: number): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.ceil(maxAgeMs / 1000)}; Secure; HttpOnly; SameSite=Lax`
}

/** Value of the session cookie after a sign-out, if sign-ins start by themselves: that would undo it. */
export const signedOut = 'signed-out'

/** Browsers drop a cookie whose name and value are longer than this, in bytes (RFC 6265bis §5.6). */
const maxCookieBytes = 4096

/** Whether browsers keep the cookie of a Set-Cookie value. Ours are ASCII. */
export function fitsCookie(setCookie: string): boolean {
  return setCookie.indexOf(';') <= maxCookieBytes
}

/** Returns a Set-Cookie value that removes a cookie. */
export function clearCookie(name: CookieName): string {
  return writeCookie(name, '', 0)
}
