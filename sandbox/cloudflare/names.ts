import { domainToASCII } from 'node:url'

const longestName = 253
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Lower case and Punycode, or undefined when the text is no DNS name. A trailing dot is dropped. */
const toAscii = (text: string): string | undefined => {
  const dotless = text.endsWith('.') ? text.slice(0, -1) : text
  // domainToASCII reads some ASCII as a URL does (`%41`, `/`): only other scripts are its business here.
  const ascii = /^[\x21-\x7e]+$/.test(dotless) ? dotless.toLowerCase() : domainToASCII(dotless)
  const labels = ascii.split('.')
  const host = labels[0] === '*' && labels.length > 1 ? labels.slice(1) : labels
  return ascii.length <= longestName && host.every(part => label.test(part)) ? ascii : undefined
}

/**
 * The name under which a record is stored: lower case, Punycode, inside the zone. `@` is the apex, and a name that does
 * not end in the zone's is taken as relative to it. Undefined when that makes no DNS name.
 */
export const recordName = (sent: string, zoneName: string): string | undefined => {
  if (sent === '@') return zoneName
  const ascii = toAscii(sent)
  if (ascii === undefined) return undefined
  return isWithin(ascii, zoneName) ? ascii : toAscii(`${ascii}.${zoneName}`)
}

/** The host that a CNAME or NS record points at, as stored, or undefined when it is none. */
export const targetName = (sent: string): string | undefined => {
  const ascii = toAscii(sent)
  return ascii?.startsWith('*') ? undefined : ascii
}

/** Whether a name is a zone's apex or below it; both in lower case. */
export const isWithin = (name: string, zoneName: string): boolean =>
  name === zoneName || name.endsWith(`.${zoneName}`)
