import type { FullReading } from '../../lib/reading.ts'
import { refuse } from '../../lib/settings/readers.ts'
import { trimmedEnd } from '../../lib/trimmed.ts'

/** Longest path to return to, in bytes of UTF-8, such as one of Grafana or Kibana. It fits into the transaction cookie. */
export const maxReturnBytes = 1500

/**
 * Whether a person can be sent to a path of this origin after signing in, such as `/timesheets/?week=47`. The path is
 * judged as browsers resolve it and as routers decode it, so that no spelling leads to another host, into the API, or
 * back to a page that would send the person on again. Outside the base path, every path belongs to an application.
 * @param text the path, decoded once if it came from a query
 */
export function isReturnPath(text: string, redirectUri: string, basePath: string): boolean {
  if (new TextEncoder().encode(text).length > maxReturnBytes || !isOwnPath(text)) return false
  const redirect = new URL(redirectUri)
  const url = URL.parse(text, redirectUri)
  // A redirect sends what the URL has: `/.//evil.example` is `//evil.example` there, another host.
  if (url?.origin !== redirect.origin || !isOwnPath(url.pathname)) return false
  const closed = [basePath, `${basePath}/api`, asRouted(redirect.pathname)]
  const isClosed = (path: string) => closed.includes(path) || path.startsWith(`${basePath}/api/`)
  // Some proxies merge slashes before they resolve dots, some after that or never.
  const path = asRouted(url.pathname)
  const merged = asRouted(url.pathname, true)
  if (path === null || merged === null || !isOwnPath(`${path}/`)) return false
  // A router that decodes nothing takes the path as it is sent.
  return ![trimmedEnd(url.pathname, '/'), merged, path.replace(/\/+/g, '/')].some(isClosed)
}

/** Reads where a sign-in ends if it started without a path to return to; blank is null, or `/` outside the base path. */
export function readAfterSignInUrl(
  text: string,
  redirectUris: readonly string[],
  basePath: string,
): FullReading<string | null> {
  if (text === '') return { value: basePath === '' ? null : '/' }
  // A path in a request can have blanks. In a setting, they are a second path or a mistake.
  return !/\s/.test(text) && redirectUris.every(uri => isReturnPath(text, uri, basePath))
    ? { value: text }
    : refuse(
        `is not a path of this host such as /timesheets/, with at most ${maxReturnBytes} bytes, outside the handler’s /api/ and the redirect URI.`,
      )
}

/** Whether a text is a path, not another host's URL, without characters that browsers drop or treat as a slash. */
function isOwnPath(text: string): boolean {
  return /^\/(?!\/)[^\\\p{Cc}]*$/u.test(text)
}

/** More proxies than any row of them has. Without a limit, a path of `%252525…` would take as many rounds as it has characters. */
const maxRounds = 10

/**
 * Returns a path as the most lenient router compares it: ASCII decoded and dots resolved until nothing changes, since
 * proxies in a row each decode once, and without final slashes. Null if it still changes after ten rounds.
 * @param merges whether slashes in a row count as one
 */
export function asRouted(pathname: string, merges = false): string | null {
  let path = pathname
  for (let round = 0; round < maxRounds; round += 1) {
    const decoded = path.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent)
    const segments: string[] = []
    for (const segment of (merges ? decoded.replace(/\/+/g, '/') : decoded).split('/').slice(1)) {
      if (segment === '..') segments.pop()
      else if (segment !== '.') segments.push(segment)
    }
    const resolved = `/${segments.join('/')}`
    if (resolved === path) return trimmedEnd(path, '/')
    path = resolved
  }
  return null
}
