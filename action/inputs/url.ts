import { isIpv4 } from '../text/ip-syntax.ts'

/** Parses a URL whose traffic nobody else can read: https, or http on loopback. Returns null for any other. */
export function parseSafeUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url) return null
  const { protocol, hostname } = url
  const loopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIpv4(hostname) && hostname.startsWith('127.'))
  return protocol === 'https:' || (protocol === 'http:' && loopback) ? url : null
}

/** Returns whether the URL carries a user name or a password. */
export function hasCredentials(url: URL): boolean {
  return url.username !== '' || url.password !== ''
}
