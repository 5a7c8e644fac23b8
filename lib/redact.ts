import { looksLikeHostname } from './hostname.ts'

/**
 * What no text may show: secrets, and addresses when they are masked. The state belongs to the process because every
 * quotation needs it before it cuts or escapes, and one forgotten argument would be a leak. Outputs keep addresses.
 */
const state: { secrets: RegExp | null; redactAddresses: typeof redactAddresses | null } = {
  secrets: null,
  redactAddresses: null,
}

const mask = '***'

/**
 * Redacts these secrets and these parts of URLs, one per line, from now on: as they are, in base64 and as parts of URLs. Returns
 * all forms, the plain one first, for the runner to mask as well. A part of a URL that is in `shown` is not redacted.
 */
export function maskSecrets(
  secrets: readonly string[],
  urls = '',
  shown: readonly string[] = [],
): readonly string[] {
  const visible = shown.join('\n').toLowerCase()
  const urlForms = allFormsOf([urls]).filter(form => !visible.includes(form.toLowerCase()))
  const forms = [...new Set([...allFormsOf(secrets), ...urlForms])]
  // The longest first: a form may begin like another.
  const patterns = forms
    .toSorted((one, other) => other.length - one.length)
    .map(form => form.replace(/[^\w\s]/g, '\\$&'))
  state.secrets = patterns.length === 0 ? null : new RegExp(patterns.join('|'), 'gi')
  return forms
}

function allFormsOf(secrets: readonly string[]): readonly string[] {
  return secrets
    .flatMap(secret => secret.split(/\s+/))
    .filter(word => word !== '' && !/^bearer$/i.test(word))
    .flatMap(word => [word, encodeURIComponent(word), ...base64Of(word)])
}

/** Redacts addresses from now on, or no longer. */
export function maskAddresses(masked: boolean): void {
  state.redactAddresses = masked ? redactAddresses : null
}

/** Returns the text with *** in place of secrets, in any form, and of addresses that are masked. Each of these goes to `tell`. */
export function redact(text: string, tell: (address: string) => void = () => {}): string {
  const withoutSecrets = redactSecrets(text)
  // A program that never masks addresses does not carry how.
  return state.redactAddresses?.(withoutSecrets, tell) ?? withoutSecrets
}

function redactAddresses(text: string, tell: (address: string) => void): string {
  const redactAddress = (address: string) => {
    if (harmless.test(address)) return address
    tell(address)
    return mask
  }
  return text
    .replace(ipv6Run, run => (looksLikeIpv6(run) ? redactAddress(run) : run))
    .replace(dottedQuad, quad => redactAddress(quad))
}

/** Returns the text with *** in place of secrets only, for outputs: they hold addresses in any case. */
export function redactSecrets(text: string): string {
  return state.secrets === null ? text : text.replace(state.secrets, mask)
}

/** Shorter ones are too common to redact. */
const minBase64Characters = 8

/**
 * Returns what the base64 of any text that contains the word must contain, such as of a whole header, in both alphabets: one form
 * for each of the three offsets of its first byte, without the characters at both ends that depend on the text around it.
 */
function base64Of(word: string): readonly string[] {
  const bytes = new TextEncoder().encode(word)
  const forms = [0, 1, 2].map(offset => {
    const text = btoa(' '.repeat(offset) + String.fromCharCode(...bytes))
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
  })
  return forms
    .filter(form => form.length >= minBase64Characters)
    .flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}

/**
 * These patterns match too much rather than too little: four or more groups of digits, and any run of hex digits and
 * colons with `::` or seven colons in it.
 */
const dottedQuad = /\d{1,3}(?:\.\d{1,3}){3,}\d*/g
const ipv6Run = /[0-9a-f:]+(?:\.\d+)*/gi

/**
 * Loopback and documentation addresses (RFC 5737, RFC 3849, RFC 9637) reveal nothing. Masking them would only take
 * examples out of messages.
 */
const harmless =
  /^(?:127(?:\.\d{1,3}){3}|192\.0\.2\.\d{1,3}|198\.51\.100\.\d{1,3}|203\.0\.113\.\d{1,3}|::1|2001:0?db8:[\da-f:]*|3fff:0?[\da-f]{1,3}:[\da-f:]*|3fff::[\da-f:]*)$/i

function looksLikeIpv6(run: string): boolean {
  return /::|(?::[^:]*){7}/.test(run) && /[0-9a-f]/i.test(run)
}

/**
 * Returns the text with *** for 37 or more characters of the alphabet of tokens, for a word that a quotation cuts, and for the
 * user name and password of a URL. A label of a hostname can be as long, and is shown.
 */
export function redactTokenShapes(text: string): string {
  return text
    .replace(/\S+(?: \(truncated)?/g, withoutUserInfo)
    .replace(/[\w.*-]+/g, word => (looksLikeHostname(word) ? word : word.replace(/[\w-]{37,}/g, '***')))
    .replace(/[\w-]+(" \(truncated)?/g, (word, cut) => (cut ? `***${cut}` : word))
}

/** Returns a word with *** for a URL's user info: from `//` to the last `@`, or to where a quotation was truncated. */
function withoutUserInfo(word: string): string {
  const start = word.indexOf('//') + 2
  const cut = word.lastIndexOf('" (truncated')
  const end = cut < 0 ? word.lastIndexOf('@') : cut
  return start < 2 || end < start ? word : `${word.slice(0, start)}***${word.slice(end)}`
}
