/** The variables that name a proxy, as the runner sets them. */
export interface ProxyVariables {
  readonly https_proxy?: string | undefined
  readonly HTTPS_PROXY?: string | undefined
  readonly no_proxy?: string | undefined
  readonly NO_PROXY?: string | undefined
}

/**
 * Returns the proxy that a URL is requested through, or null if it is requested directly. Lower-case variables come first,
 * as in GitHub's own actions. http URLs are requested directly: they are on loopback only.
 */
export function proxyFor(url: URL, variables: ProxyVariables): URL | null {
  const proxy = variables.https_proxy || variables.HTTPS_PROXY
  const exceptions = variables.no_proxy || variables.NO_PROXY || ''
  if (!proxy || url.protocol !== 'https:' || isException(url, exceptions)) return null
  return parseProxy(proxy)
}

/** Parses `http://host:port`, with or without the scheme and credentials. Returns null for any other text. */
export function parseProxy(text: string): URL | null {
  const whole = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(whole) ? new URL(whole) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null
  return credentialsOf(url) === null ? null : url
}

/** Returns `user:password` of a URL, decoded; empty if it has neither, null if they cannot be decoded. */
export function credentialsOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return ''
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    return null
  }
}

/** Matches loopback, and no_proxy: `*`, a name (with or without a port) and all below it, or `.name` for all below it. */
function isException({ hostname, port }: URL, exceptions: string): boolean {
  const host = hostname.toLowerCase()
  if (host === 'localhost' || host.startsWith('127.') || host === '[::1]') return true
  return exceptions
    .toLowerCase()
    .split(',')
    .map(exception => exception.trim())
    .filter(exception => exception !== '')
    .some(exception => {
      const matches = (name: string) =>
        exception.startsWith('.') ? name.endsWith(exception) : `.${name}`.endsWith(`.${exception}`)
      return exception === '*' || matches(host) || matches(`${host}:${port || 443}`)
    })
}
