import { isIP } from 'node:net'
import { parseUrl } from '../../lib/url.ts'
import { parseDay } from '../../src/settings/day.ts'
import { isGuid } from '../../src/settings/guid.ts'
import type { Reading } from '../../src/settings/problems.ts'

/**
 * The result of reading one configuration key: its value, or what is wrong and how to fix it, in sentences that continue
 * the name of the key.
 */
export type KeyReading<T> = Reading<T, string>

function refuse(problem: string): { readonly problems: readonly string[] } {
  return { problems: [problem] }
}

/** Reads an id of a zone, an account or a record: 32 hex digits. */
export function readId(text: string, where: string): KeyReading<string> {
  return /^[0-9a-f]{32}$/.test(text)
    ? { value: text }
    : refuse(`is not 32 hex digits in lower case. Copy it from ${where}.`)
}

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const hostForm = new RegExp(`^(?=.{1,253}$)(${label}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

/** Reads a fully qualified name, spelled as the service returns it, so that it never shows as a change. */
export function readHostname(text: string): KeyReading<string> {
  return hostForm.test(text)
    ? { value: text }
    : refuse(
        'is not a full hostname in lower-case ASCII without a final dot. Use one such as home.example.com.',
      )
}

/** Reads an IPv4 address without leading zeros, which some programs take as octal. */
export function readIpv4(text: string): KeyReading<string> {
  const octets = text.split('.')
  const fits = octets.length === 4 && octets.every(octet => /^(0|[1-9]\d{0,2})$/.test(octet) && +octet <= 255)
  return fits ? { value: text } : refuse('is not an IPv4 address. Use one such as 192.0.2.1.')
}

/**
 * Reads an IPv6 address in the form in which services return it (RFC 5952), so that it never shows as a change. One that
 * holds an IPv4 address could be returned in another notation.
 */
export function readIpv6(text: string): KeyReading<string> {
  if (isIP(text) !== 6 || text.includes('%') || text.includes('.')) {
    return refuse('is not an IPv6 address. Use one such as 100::.')
  }
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1)
  return canonical === text ? { value: text } : refuse(`is not in its short form. Use ${canonical}.`)
}

/** Reads one of a few words. */
export function readChoice<T extends string>(text: string, choices: readonly T[]): KeyReading<T> {
  const found = choices.find(choice => choice === text)
  if (found !== undefined) return { value: found }
  const listed = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
  return refuse(`must be ${listed}. Set one of them.`)
}

/** Reads a whole number from `min` to `max`. */
export function readInteger(text: string, min: number, max: number): KeyReading<number> {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max
    ? { value: number }
    : refuse(`is not a whole number from ${min} to ${max}. Set one in that range.`)
}

/** Reads a list: JSON, as a stack file's list arrives, or text separated by commas or spaces. */
export function readList(text: string): KeyReading<readonly string[]> {
  if (!text.startsWith('[')) {
    return { value: text.split(/[\s,]+/).filter(part => part !== '') }
  }
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed) && parsed.every((part): part is string => typeof part === 'string')) {
      return { value: parsed }
    }
  } catch {
    // Reported below, like a list of anything but strings.
  }
  return refuse('is not a list of strings. Write a YAML list in the stack file, or separate them by commas.')
}

const dayMs = 24 * 60 * 60 * 1000

/** Reads a day, `2026-03-31`, as the time at which it begins in UTC, in milliseconds since 1970. */
export function readDay(text: string): KeyReading<number> {
  const begins = parseDay(text)
  return begins === null ? refuse('is not a date. Use the form 2026-03-31.') : { value: begins }
}

/** Returns the time a number of days after another, both in milliseconds since 1970. */
export function daysAfter(time: number, days: number): number {
  return time + days * dayMs
}

/** Formats milliseconds since 1970 as the services do: UTC, to the second. */
export function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}

/** Reads a time in the future, such as `2026-03-31T12:00:00Z`. */
export function readExpiry(text: string, now: number): KeyReading<string> {
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time) || formatTime(time) !== text) {
    return refuse('is not a time in UTC. Use the form 2026-03-31T12:00:00Z.')
  }
  if (time > now) return { value: text }
  return refuse(`is in the past (${text}), so the token would never work. Set a later time.`)
}

/**
 * Reads the https origin of the handler or the endpoint. A Worker's custom domain has no port.
 * @param place where it runs
 * @param example for messages
 */
export function readPublicOrigin(
  text: string,
  place: 'worker' | 'host',
  example = 'https://people.example.com',
): KeyReading<URL> {
  const url = parseUrl(text)
  if (url?.protocol !== 'https:') return refuse(`is not an https origin. Use one such as ${example}.`)
  if (url.origin !== text) {
    return refuse(
      `is not an origin as browsers spell it: lower case, no path, no final slash. Use ${url.origin}.`,
    )
  }
  if (place === 'worker' && url.port !== '')
    return refuse('has a port, but a custom domain is served on 443. Remove the port.')
  return 'value' in readHostname(url.hostname)
    ? { value: url }
    : refuse(`has a host that cannot be in a zone. Use one such as ${example}.`)
}

/** Returns whether the text is an Object ID as Entra spells it, so that it never shows as a change. */
export function isObjectId(text: string): boolean {
  return isGuid(text) && text === text.toLowerCase()
}

/** Reads the id of a D1 database. */
export function readDatabaseId(text: string): KeyReading<string> {
  return isObjectId(text)
    ? { value: text }
    : refuse('is not the id of a database. Copy it from what npm run drift prints, or from the D1 dashboard.')
}

/** A wider range is no limit: nobody is assigned more, and the two halves of the address space would pass as ranges. */
const minPrefix = { 4: 8, 6: 16 } as const

/** Returns whether the text is an address range that is narrow enough to be a limit. */
export function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/')
  if (rest.length > 0 || !/^[1-9]\d{0,2}$/.test(prefix)) return false
  if ('value' in readIpv4(address)) return +prefix >= minPrefix[4] && +prefix <= 32
  // A zone index names an interface of one machine.
  const isIpv6 = isIP(address) === 6 && !address.includes('%')
  return isIpv6 && +prefix >= minPrefix[6] && +prefix <= 128
}

/** Reads the token that creates other tokens. */
export function readMintingToken(text: string): KeyReading<string> {
  const fix = 'pulumi config set --secret mintingApiToken'
  if (/^cfk_/i.test(text)) {
    return refuse(
      `is a global API key, which must not be used here. Create a token that can create tokens, and set it: ${fix}`,
    )
  }
  // The provider refuses any other form before it sends anything. A global key without its prefix is shorter.
  return /^[0-9A-Za-z_-]{40,80}$/.test(text)
    ? { value: text }
    : refuse(`does not look like an API token. Set it again: ${fix}`)
}

const maxDisplayNameLength = 120

/** Reads the name that people see on the consent page. */
export function readDisplayName(text: string): KeyReading<string> {
  return text.length <= maxDisplayNameLength
    ? { value: text }
    : refuse(`has ${text.length} characters, and Entra allows ${maxDisplayNameLength}. Use a shorter name.`)
}

/** Reads `owner/name` of a repository. */
export function readRepository(
  text: string,
): KeyReading<{ readonly owner: string; readonly repository: string }> {
  const [, owner, repository] = /^([A-Za-z0-9-]{1,39})\/([A-Za-z0-9._-]{1,100})$/.exec(text) ?? []
  return owner !== undefined && repository !== undefined
    ? { value: { owner, repository } }
    : refuse('is not an owner and a name. Use the form owner/name.')
}

/** Reads the name of a repository's environment. */
export function readEnvironment(text: string): KeyReading<string> {
  return /^[A-Za-z0-9._-]{1,255}$/.test(text)
    ? { value: text }
    : refuse('has characters other than letters, digits, dots, - and _. Use a name such as dns.')
}
