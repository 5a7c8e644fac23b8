import { refuse, type SettingReading } from './problems.ts'

/** Whether a host, as `URL.hostname` spells it, can only be this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** Whether a URL uses https, or http on this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/**
 * Reads the base URL of a service: https (http on loopback) and nothing after the host, since the tenant and the version
 * are added to it. Returns the origin, without a final slash.
 */
export function readServiceUrl(text: string): SettingReading<string> {
  const url = URL.parse(text)
  if (!url) return refuse('not-a-url', { expected: 'https://login.microsoftonline.com' })
  if (!isSecure(url)) return refuse('not-https')
  if (url.href !== `${url.origin}/`) return refuse('more-than-host', { expected: url.origin })
  return { value: url.origin }
}
