/**
 * Every path of the sign-in handler, and how the redirect address is made of a public origin and a path. The only
 * module that other parts of the repository take from this one: what registers the address with the identity provider
 * and what uses it must agree on every character.
 */
export const routes = {
  loginUrl: '/api/auth/login-url',
  callback: '/api/auth/callback',
  session: '/api/session',
  forward: '/api/auth/forward',
  logout: '/api/auth/logout',
  health: '/healthz',
  openapi: '/openapi.json',
  signIn: '/',
  dashboard: '/dashboard',
} as const

/** Path of the page the identity provider sends the browser to, where nobody chose another. */
export const defaultRedirectPath = '/auth/callback'

/** Longest redirect address that Entra registers, in characters. */
export const maxRedirectUriLength = 256

/** Characters that Entra refuses in a redirect address, and those that would make it more than host and path. */
const forbiddenCharacters = [..."!$'(),;", ...'*?#@\\']

/**
 * The redirect address for a public origin (`https://people.example.com`, a slash at the end is dropped) and a path
 * that starts with a slash. Plain joining: any cleverness here is a character that differs from the registration.
 */
export function redirectUriOf(publicOrigin: string, path: string = defaultRedirectPath): string {
  return `${publicOrigin.replace(/\/$/, '')}${path}`
}

/** Whether a host, as `URL.hostname` gives it, can only be this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** A path as routes are compared with it: decoded, with or without a slash at the end. */
function asRouted(pathname: string): string {
  try {
    return decodeURIComponent(pathname).replace(/\/+$/, '') || '/'
  } catch {
    return pathname
  }
}

/**
 * What is wrong with a redirect address, one sentence a fault; empty when nothing is. The rules are Entra's, and the
 * last one is ours: the provider sends the browser to a page, which then calls the interface.
 */
export function redirectUriProblems(text: string): readonly string[] {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return ['is not an address. Give it in full, as https://people.example.com/auth/callback.']
  }
  const problems: string[] = []
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    problems.push('uses http, which Entra accepts on this machine only. Use https.')
  }
  if (text.length > maxRedirectUriLength) {
    problems.push(
      `has ${text.length} characters, and Entra registers at most ${maxRedirectUriLength}. Use a shorter path.`,
    )
  }
  const found = forbiddenCharacters.filter(character => text.includes(character))
  if (found.length > 0)
    problems.push(`holds ${found.join(' ')}, which Entra refuses there. Use another path.`)
  if (/[^\x21-\x7e]/.test(text)) {
    problems.push('holds a space or a character outside ASCII. Encode it, or use another path.')
  }
  if (url.pathname === '/') {
    problems.push('has no path, and Entra would add a slash. Add one, such as /auth/callback.')
  } else if (`${url.origin}${url.pathname}` !== text && found.length === 0) {
    problems.push(`is not as a browser writes it. Use ${url.origin}${url.pathname}, in the registration too.`)
  }
  const taken: readonly string[] = Object.values(routes)
  const routed = asRouted(url.pathname)
  if (url.pathname !== '/' && (taken.includes(routed) || routed.startsWith('/api/'))) {
    problems.push(`leads to ${url.pathname}, which this handler uses for something else. Use another path.`)
  }
  return problems
}
