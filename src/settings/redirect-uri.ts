import { isSecure } from '../../lib/url.ts'
import { routes } from '../routes.ts'
import { refuse, type SettingProblem, type SettingReading } from './problems.ts'
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
): SettingReading<readonly [string, ...string[]]> {
  const [first = '', ...others] = text.split(',').map(part => part.trim())
  if (others.length === 0) {
    const reading = readRedirectUri(first, basePath)
    return 'value' in reading ? { value: [first] } : reading
  }
  if (others.length >= maxUris) return refuse('redirects-many', { expected: String(maxUris) })
  const uris = [first, ...others]
  if (uris.includes('')) return refuse('empty-part')
  const problems = uris.flatMap(uri => {
    const reading = readRedirectUri(uri, basePath)
    return 'value' in reading ? [] : reading.problems.map(problem => ({ ...problem, part: uri }))
  })
  if (problems.length > 0) return { problems }
  const urls = uris.map(uri => new URL(uri))
  // Browsers send a cookie to every port, so hosts that differ only by port would delete each other's session.
  const names = urls.map(({ hostname }) => hostname)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated) return refuse('redirect-repeated', { found: repeated })
  if (urls.some(({ protocol }) => protocol !== urls[0]?.protocol)) return refuse('redirect-schemes')
  return { value: [first, ...others] }
}

/**
 * Reads a redirect URI. The rules are Entra's (its list of redirect URI restrictions), except the last one, which keeps
 * the page apart from the handler's own routes.
 */
export function readRedirectUri(text: string, basePath: string): SettingReading<string> {
  if (text === '') return refuse('missing')
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return refuse('not-a-url', { expected: 'https://people.example.com/auth/callback' })
  }
  const problems: SettingProblem[] = []
  if (!isSecure(url)) problems.push({ code: 'not-https' })
  if (text.length > maxLength) problems.push({ code: 'redirect-length', found: String(text.length) })
  const forbidden = forbiddenCharacters.filter(character => text.includes(character))
  if (forbidden.length > 0) problems.push({ code: 'redirect-characters', found: forbidden.join(' ') })
  if (/[^\x21-\x7e]/.test(text)) problems.push({ code: 'redirect-not-ascii' })
  const normal = url.origin + url.pathname
  if (url.pathname === '/') problems.push({ code: 'redirect-no-path' })
  else if (normal !== text && forbidden.length === 0) {
    problems.push({ code: 'redirect-spelling', expected: normal })
  }
  if (url.pathname !== '/' && isTaken(url.pathname, basePath)) {
    problems.push({ code: 'redirect-taken', found: url.pathname })
  }
  return problems.length > 0 ? { problems } : { value: text }
}

/** Whether the router would serve a path as something else: it decodes paths and ignores a final slash. */
function isTaken(pathname: string, basePath: string): boolean {
  const routed = asRouted(pathname)
  const taken = Object.values(routes).map(path => asRouted(basePath + path))
  return routed === null || taken.includes(routed) || routed.startsWith(`${basePath}/api/`)
}
