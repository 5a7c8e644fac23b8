import type { FullReading } from '../../lib/reading.ts'
import { refuse } from '../../lib/settings/readers.ts'
import { isSecure, parseUrl } from '../../lib/url.ts'

/**
 * Reads the base URL of a service: https (http on loopback) and nothing after the host, since the tenant and the version
 * are added to it. Returns the origin, without a final slash.
 */
export function readServiceUrl(text: string): FullReading<string> {
  const url = parseUrl(text)
  if (!url) return refuse('is not a URL. Give it in full, such as https://login.microsoftonline.com.')
  if (!isSecure(url)) return refuse('does not use https. Only loopback addresses may use http.')
  if (url.href !== `${url.origin}/`) return refuse(`has more than a host. Use ${url.origin}.`)
  return { value: url.origin }
}
