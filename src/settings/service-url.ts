import { isSecure, parseUrl } from '../../lib/url.ts'
import { refuse, type SettingReading } from './problems.ts'

/**
 * Reads the base URL of a service: https (http on loopback) and nothing after the host, since the tenant and the version
 * are added to it. Returns the origin, without a final slash.
 */
export function readServiceUrl(text: string): SettingReading<string> {
  const url = parseUrl(text)
  if (!url) return refuse('not-a-url', { expected: 'https://login.microsoftonline.com' })
  if (!isSecure(url)) return refuse('not-https')
  if (url.href !== `${url.origin}/`) return refuse('more-than-host', { expected: url.origin })
  return { value: url.origin }
}
