import { isLoopback } from '../routes.ts'

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** A time such as `500ms`, `10s`, `30m`, `8h` or `1d`, as milliseconds; null when unreadable or outside the bounds. */
export function parseDuration(text: string, leastMs: number, mostMs: number): number | null {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? []
  const time = Number(amount) * (unitsMs[unit ?? ''] ?? Number.NaN)
  return time >= leastMs && time <= mostMs ? time : null
}

export type ServiceUrl =
  | { readonly kind: 'url'; readonly url: URL; readonly text: string }
  | { readonly kind: 'malformed'; readonly message: string }

/**
 * The base address of a service: https, http on this machine only, nothing after the host: tenant and version are added
 * to it. The text comes back without a slash at the end.
 */
export function parseServiceUrl(text: string): ServiceUrl {
  const url = URL.parse(text)
  const malformed = (message: string): ServiceUrl => ({ kind: 'malformed', message })
  if (!url) return malformed('is not an address. Give it in full, starting with https://.')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return malformed('does not use https. Only this machine may be reached by http.')
  }
  if (url.href !== `${url.origin}/`) return malformed(`holds more than a host. Use ${url.origin}.`)
  return { kind: 'url', url, text: url.origin }
}

const domainForm = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/

/**
 * Domains whose addresses may enter, separated by commas or spaces, in lower case. `*` opts out (null). An empty list
 * is a problem rather than an opt-out: by the local part alone, whoever is invited as alice@elsewhere would be alice.
 */
export function parseDomains(text: string): {
  readonly domains: readonly string[] | null
  readonly problems: readonly string[]
} {
  if (text === '*') return { domains: null, problems: [] }
  const domains = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(domain => domain !== '')
  if (domains.length === 0) {
    const message = 'is missing. List your employees’ domains, the primary one first, or * for any.'
    return { domains: [], problems: [message] }
  }
  const wrong = domains.filter(domain => !domainForm.test(domain))
  const problems = wrong.map(
    domain => `holds ${JSON.stringify(domain)}, which is not a domain such as example.com.`,
  )
  return { domains, problems }
}

/** Where the former login lives: an https address or a path of this host; null when none is set. */
export function parseLegacyUrl(text: string): string | 'malformed' | null {
  if (text === '') return null
  // A second slash or a backslash would make the path another host's address.
  if (/^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\')) return text
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' ? url.href : 'malformed'
}
