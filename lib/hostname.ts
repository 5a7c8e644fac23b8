import { isIpv4 } from './ip-address.ts'

/** The most hostnames of one run, one stack and one endpoint's command. A CNAME to one kept name needs no update. */
export const maxHostnames = 50

const maxNameCharacters = 253
export const maxLabelCharacters = 63
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
/** RFC 3696 section 2: alphabetic, or Punycode. */
const topLabel = /^[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/**
 * Returns a hostname as Cloudflare stores it: lower case, Punycode, no trailing dot, a wildcard only as the whole
 * first label. Returns null if the text is not a fully qualified hostname. URLs, ports, paths, percent signs and IPv4
 * addresses are refused first, because the parser of URLs would turn them into some other name.
 */
export function canonicalHostname(text: string): string | null {
  if (/[^\p{L}\p{M}\p{N}._*-]/u.test(text)) return null
  const wildcard = text.startsWith('*.')
  const host = (wildcard ? text.slice(2) : text).replace(/\.$/, '')
  const ascii = URL.parse(`http://${host}`)?.hostname ?? ''
  if (ascii === '' || isIpv4(ascii)) return null
  const name = wildcard ? `*.${ascii}` : ascii
  const labels = ascii.split('.')
  if (labels.length < 2 || name.length > maxNameCharacters) return null
  if (!labels.every(part => label.test(part)) || !topLabel.test(labels.at(-1) ?? '')) return null
  return name
}

/**
 * Returns whether a text can only be meant as a hostname, whatever the length of its labels. Tokens and passwords are one
 * word without dots, and a JWT has upper case.
 */
export function looksLikeHostname(text: string): boolean {
  return /^(?:\*\.)?(?:[a-z0-9-]+\.)+[a-z]{2,24}\.?$/.test(text)
}

/** Returns whether a name is a domain or below it. Both are canonical. */
export function isInDomain(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`)
}
