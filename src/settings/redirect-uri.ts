import { quote } from '../../lib/quote.ts'
import type { FullReading } from '../../lib/reading.ts'
import { refuse } from '../../lib/settings/readers.ts'
import { isSecure } from '../../lib/url.ts'
import { routes } from '../routes.ts'
import { asRouted } from './return-path.ts'

/** Path of the page that Entra redirects to, unless an operator chooses another. */
export const defaultRedirectPath = '/auth/callback'

/** Maximum length of a redirect URI that Entra registers, in characters. */
const maxLength = 256

/** Characters that Entra rejects in a redirect URI, and those that would add more than a host and a path. */
const forbiddenCharacters = [..."!$'(),;", ...'*?#@\\']

/**
 * Returns the redirect URI for a public origin (`https://people.example.com`, a final slash is dropped) and a path that
 * starts with a slash. Entra compares it with the registration character by character, so nothing is normalised.
 */
export function redirectUriOf(publicOrigin: string, path: string = defaultRedirectPath): string {
  return `${publicOrigin.replace(/\/$/, '')}${path}`
}

/** Maximum number of redirect URIs. Entra registers more, but a typo in one must be findable. */
const maxUris = 20

/**
 * Reads one or several redirect URIs, separated by commas, which no URI may have. Each is for a host of its own, which
 * decides about a request. Returns them in their order.
 */
export function readRedirectUris(
  text: string,
  basePath: string,
): FullReading<readonly [string, ...string[]]> {
  const [first = '', ...others] = text.split(',').map(part => part.trim())
  if (others.length >= maxUris) return refuse(`has more than ${maxUris} URIs. Remove some.`)
  const uris = [first, ...others]
  if (uris.includes('')) return refuse('has an empty part between its commas. Remove it.')
  const problems = uris.flatMap(uri => {
    const reading = readRedirectUri(uri, basePath)
    if ('value' in reading) return []
    return reading.problems.map(problem =>
      uris.length === 1 ? problem : `has ${quote(uri)}, which ${problem}`,
    )
  })
  if (problems.length > 0) return { problems }
  const urls = uris.map(uri => new URL(uri))
  // Browsers send a cookie to every port, so hosts that differ only by port would delete each other's session.
  const names = urls.map(({ hostname }) => hostname)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated) return refuse(`has two URIs for ${repeated}. Keep one for each host, with one port.`)
  if (urls.some(({ protocol }) => protocol !== urls[0]?.protocol))
    return refuse('mixes http and https. Use https for all of them.')
  return { value: [first, ...others] }
}

/**
 * Reads a redirect URI. The rules are Entra's (its list of redirect URI restrictions), except the last one, which keeps
 * the page apart from the handler's own routes.
 */
export function readRedirectUri(text: string, basePath: string): FullReading<string> {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return refuse('is not a URL. Give it in full, such as https://people.example.com/auth/callback.')
  }
  const problems: string[] = []
  if (!isSecure(url)) problems.push('does not use https. Only loopback addresses may use http.')
  if (text.length > maxLength)
    problems.push(`has ${text.length} characters. Entra registers at most ${maxLength}. Use a shorter path.`)
  const forbidden = forbiddenCharacters.filter(character => text.includes(character))
  if (forbidden.length > 0)
    problems.push(`has ${forbidden.join(' ')}, which Entra rejects in a redirect URI. Use another path.`)
  if (/[^\x21-\x7e]/.test(text))
    problems.push('has a space or a character outside ASCII. Encode it, or use another path.')
  const normal = url.origin + url.pathname
  if (url.pathname === '/')
    problems.push('has no path, and Entra would add a slash. Add a path such as /auth/callback.')
  else if (normal !== text && forbidden.length === 0) {
    problems.push(`is not spelled as a browser sends it. Use ${normal}, in the app registration too.`)
  }
  if (url.pathname !== '/' && isTaken(url.pathname, basePath)) {
    problems.push(`leads to ${url.pathname}, which the handler already serves. Use another path.`)
  }
  return problems.length > 0 ? { problems } : { value: text }
}

/** Whether the router would serve a path as something else: it decodes paths and ignores a final slash. */
function isTaken(pathname: string, basePath: string): boolean {
  const routed = asRouted(pathname)
  const taken = Object.values(routes).map(path => asRouted(basePath + path))
  return routed === null || taken.includes(routed) || routed.startsWith(`${basePath}/api/`)
}
