/**
 * Parses a URL that a person set; null if it is not one. The parser of URLs drops line breaks and tabs, encodes blanks and
 * reads a backslash as a slash (WHATWG URL), so two URLs in one setting would become a single other one. A text with any
 * of these or with an invisible character is therefore refused.
 */
export function parseUrl(text: string): URL | null {
  return /[\s\\\p{Cc}\p{Cf}]/u.test(text) ? null : URL.parse(text)
}

/** Parses a URL that a person set and whose traffic nobody else can read: https, or http on loopback. Null for any other. */
export function parseSafeUrl(text: string): URL | null {
  const url = parseUrl(text)
  return url && isSecure(url) ? url : null
}

/** Returns whether a URL uses https, or http on this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** Returns whether a host, as `URL.hostname` spells it, can only be this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** Returns whether a URL carries a user name or a password. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

/**
 * Parses the URL of an HTTP proxy, `http://host:port`, with or without credentials; null for any other text. Clients read
 * `host:port` differently: some take `host:` for the scheme and send their requests past the proxy.
 */
export function parseProxy(text: string): URL | null {
  const url = parseUrl(text)
  const usable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname + url.search + url.hash === '/' &&
    // @actions/http-client drops the whole proxy if either has an invalid percent sequence.
    [url.username, url.password].every(isDecodable)
  return usable ? url : null
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
