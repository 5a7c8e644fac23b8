import type { Environment, Reader } from './reader.ts'

/** Reports proxy variables that the HTTP client would ignore, or would mistake for an HTTP proxy. */
export function checkProxies(read: Reader, env: Environment): void {
  for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']) {
    const value = env[name]
    if (value && !isProxy(value)) {
      read.addProblem(
        name,
        'is not the URL of an HTTP proxy, so requests would bypass it. Write it as http://host:port.',
      )
    }
  }
}

/**
 * Returns whether the client would use this value as intended. It adds http:// only if the value is no URL by itself:
 * `127.0.0.1:3128` is none, but `localhost:3128` is one, with the scheme `localhost:` and no host.
 */
function isProxy(value: string): boolean {
  const alone = URL.canParse(value) || value.includes('://')
  const text = alone ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : null
  return (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.hostname !== '' &&
    // The client drops the whole proxy if either has an invalid percent sequence.
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
