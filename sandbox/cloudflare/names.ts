import { domainToASCII } from 'node:url'

const maxNameLength = 253
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Converts a DNS name to lower case and Punycode, without a trailing dot. Returns null if it is invalid. */
function toAscii(text: string): string | null {
  const dotless = text.endsWith('.') ? text.slice(0, -1) : text
  // domainToASCII decodes ASCII such as `%41` like a URL, so it gets only names in Unicode.
  const ascii = /^[\x21-\x7e]+$/.test(dotless) ? dotless.toLowerCase() : domainToASCII(dotless)
  const labels = ascii.split('.')
  const host = labels[0] === '*' && labels.length > 1 ? labels.slice(1) : labels
  return ascii.length <= maxNameLength && host.every(part => label.test(part)) ? ascii : null
}

/**
 * Returns the full name of a record in lower case and Punycode. `@` is the apex, and a name outside the zone is relative
 * to it. Returns null if the result is not a DNS name.
 */
export function recordName(sent: string, zoneName: string): string | null {
  if (sent === '@') return zoneName
  const ascii = toAscii(sent)
  if (ascii === null) return null
  return isWithin(ascii, zoneName) ? ascii : toAscii(`${ascii}.${zoneName}`)
}

/** Returns the target of a CNAME or NS record in lower case and Punycode, or null if it is not a hostname. */
export function targetName(sent: string): string | null {
  const ascii = toAscii(sent)
  return ascii?.startsWith('*') ? null : ascii
}

/** Whether a name is the apex of a zone or below it. Expects lower case. */
export const isWithin = (name: string, zoneName: string): boolean =>
  name === zoneName || name.endsWith(`.${zoneName}`)
