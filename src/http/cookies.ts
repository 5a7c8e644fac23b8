/** The prefix makes browsers insist on Secure, on the path / and on no Domain (RFC 6265bis §4.1.3.2; ASVS 5.0 3.3.3). */
export const transactionCookie = '__Host-homeport-transaction'
export const sessionCookie = '__Host-homeport-session'

export type CookieName = typeof transactionCookie | typeof sessionCookie

/** The value of a cookie in a Cookie header; null when it is absent, or there twice with nothing to choose by. */
export function readCookie(header: string | null, name: CookieName): string | null {
  const values = (header ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
  return values.length === 1 && values[0] !== '' ? (values[0] ?? null) : null
}

/**
 * A Set-Cookie value that scripts cannot read and other sites' requests do not carry. Lax, not Strict: a link from a
 * mail to a page behind the forward route must arrive signed in.
 */
export function writeCookie(name: CookieName, value: string, maxAgeMs: number): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.ceil(maxAgeMs / 1000)}; Secure; HttpOnly; SameSite=Lax`
}

/** A Set-Cookie value that removes a cookie. */
export function clearCookie(name: CookieName): string {
  return writeCookie(name, '', 0)
}
