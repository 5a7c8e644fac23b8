import { parseUrl } from './url.ts'

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
