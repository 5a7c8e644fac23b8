import type { Environment, Reader } from './reader.ts'

/** A value that the HTTP client would ignore, sending requests directly, or take for an HTTP proxy that it is not. */
export function checkProxies(read: Reader, env: Environment): void {
  for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']) {
    const value = env[name]
    if (value && !isProxy(value)) {
      read.addProblem(
        name,
        'is not the URL of an HTTP proxy, so requests would go out without it. Write it as http://host:port.',
      )
    }
  }
}

/**
 * Whether the client would use this value as it is meant. It puts http:// in front only where the value alone is no URL:
 * `127.0.0.1:3128` is none, but `localhost:3128` is one, of the scheme `localhost:` and without a host.
 */
function isProxy(value: string): boolean {
  const alone = URL.canParse(value) || value.includes('://')
  const text = alone ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : null
  return (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.hostname !== '' &&
    // The client drops the whole proxy when either has a percent sign that encodes nothing.
    isDecodable(url.username) &&
    isDecodable(url.password)
  )
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
