/** Policy of responses that are not pages. It allows nothing. */
const closedPolicy = "default-src 'none'; frame-ancestors 'none'"

/** One year, the minimum for browsers' preload lists (RFC 6797). */
export const hstsOfHost = 'max-age=31536000'

/** Headers of every response, unless a route sets one otherwise (ASVS 5.0 3.4.1, 3.4.4, 3.4.5). */
const fixedHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': closedPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/**
 * Returns the headers of a response, with those that every response has.
 * @param own the route's
 * @param hsts Strict-Transport-Security; blank for none
 */
export function withFixedHeaders(
  own: Readonly<Record<string, string>>,
  correlationId: string,
  hsts: string,
): Readonly<Record<string, string>> {
  return {
    ...fixedHeaders,
    ...(hsts && { 'strict-transport-security': hsts }),
    ...own,
    vary: own['vary'] === undefined ? 'Cookie' : `${own['vary']}, Cookie`,
    'x-correlation-id': correlationId,
  }
}

/** The headers that tell an application who asks. */
export const identityHeaders = ['Username', 'Resource-Id', 'Is-Admin', 'Email', 'Assertion'].map(
  name => `X-Homeport-${name}`,
)

/** The headers of a request, by names in lower case. */
export interface HeaderReader {
  get(name: string): string | null
}

/** Whether a browser reports that a page of another site caused a request (ASVS 5.0 3.5.3). */
export function isCrossSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  return site !== null && site !== 'same-origin' && site !== 'none'
}

/** Whether a browser fetches a page in advance, without a user's request. */
export function isPrefetch(headers: HeaderReader): boolean {
  return ['sec-purpose', 'purpose'].some(name => headers.get(name)?.includes('prefetch'))
}

/** The headers by which `isNavigation` decides. */
export const navigationHeaders = 'Accept, Sec-Fetch-Mode, Sec-Fetch-Dest, Sec-Purpose'

/**
 * Whether a browser asks for the page of a tab. A frame, a script, an image or a page fetched in advance is not one. Without
 * Fetch Metadata, which old browsers do not send, a request that accepts HTML is one.
 */
export function isNavigation(headers: HeaderReader): boolean {
  const [mode, destination] = [headers.get('sec-fetch-mode'), headers.get('sec-fetch-dest')]
  if (isPrefetch(headers)) return false
  return mode === null && destination === null
    ? (headers.get('accept') ?? '').includes('text/html')
    : mode === 'navigate' && destination === 'document'
}

/**
 * Whether a request that changes something comes from a page of this origin. Browsers report it in Sec-Fetch-Site or in
 * Origin; a request with neither header is refused.
 */
export function isSameOrigin(headers: Headers, origin: string): boolean {
  const site = headers.get('sec-fetch-site')
  const stated = headers.get('origin')
  if (site === null) return stated === origin
  // A page with Referrer-Policy: no-referrer sends its forms with Origin: null (Fetch, "append a request Origin header").
  return site === 'same-origin' && (stated === null || stated === 'null' || stated === origin)
}
