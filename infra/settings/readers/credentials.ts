import { dayMs } from '../../../lib/expiry.ts'
import { parseCidr } from '../../../lib/ip-address.ts'
import type { FullReading, Reading } from '../../../lib/reading.ts'
import { choice, day, formatDay, parseDay, refuse } from '../../../lib/settings/readers.ts'
import type { Earlier } from './earlier.ts'
import { lines, someOf } from './lists.ts'

/** Returns the time a number of days after another, both in milliseconds since 1970. */
export function daysAfter(time: number, days: number): number {
  return time + days * dayMs
}

/** Formats milliseconds since 1970 as Cloudflare and Entra do: UTC, to the second. */
export function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}

/** Reads a time in the future, such as `2027-03-31T12:00:00Z`. */
export function readExpiry(text: string, { now }: Earlier): FullReading<string> {
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time) || formatTime(time) !== text)
    return refuse('is not a time in UTC. Use the form 2027-03-31T12:00:00Z.')
  return time > now
    ? { value: text }
    : refuse(`is in the past (${text}), so the token would never work. Set a later time.`)
}

/** Wider ranges limit nothing: nobody is assigned one, and two halves would cover every address. */
const minPrefix = { 4: 8, 6: 16 } as const

/** Parses an address range that is narrow enough to be a limit. */
export function parseRange(text: string): Reading<string> {
  const reading = parseCidr(text)
  return 'value' in reading && reading.value.prefix >= minPrefix[reading.value.family]
    ? { value: text }
    : {
        problem: 'is not a range such as 203.0.113.0/24, no wider than /8 (IPv6: /16). Fix or remove it',
      }
}

/** Reads the token that creates other tokens. */
export function readMintingToken(text: string): FullReading<string> {
  const fix = 'pulumi config set --secret mintingApiToken'
  if (/^cfk_/i.test(text))
    return refuse(
      `is a global API key, which must not be used here. Create a token that can create tokens, and set it: ${fix}`,
    )
  // The provider refuses any other form before it sends anything. A global key without its prefix is shorter.
  return /^[0-9A-Za-z_-]{40,80}$/.test(text)
    ? { value: text }
    : refuse(`does not look like an API token. Set it again: ${fix}`)
}

/** A credential that somebody created by hand, and the day on which it expires, `2027-05-31`. */
export interface CredentialEnd {
  readonly name: string
  readonly endsOn: string
}

/** Reads a line `NAME DATE` for each credential. A day that has passed is no reason to refuse a deployment: drift reports it. */
export const readCredentialEnds = someOf(parseCredentialEnd, { separator: lines, keyOf: ({ name }) => name })

function parseCredentialEnd(line: string): Reading<CredentialEnd> {
  const form = /^([\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}?)\s+(\S+)$/u
  const [, name = '', endsOn = ''] = form.exec(line.trim()) ?? []
  return parseDay(endsOn) === null
    ? { problem: 'is not NAME DATE, or the day does not exist. Use the form deploy token 2027-03-31' }
    : { value: { name, endsOn } }
}

const readKind = choice('secret', 'certificate', 'federated')

/** Reads what authenticates the handler. A Worker has no platform that gives it a token. */
export function readCredential(text: string, { signIn }: Earlier): ReturnType<typeof readKind> {
  return text === 'federated' && signIn === 'worker'
    ? refuse('is federated, and only a host has a token of its platform. Use certificate.')
    : readKind(text)
}

/** Days before its expiry from which a credential is reported. */
export const noticeDays = 30

/** How long each of the two client secrets lasts. */
export const secretLifetimeDays = 180

/** Makes a reader of the day on which a client secret was created, for a key. */
export function rotation(key: string) {
  return (text: string, { now }: Earlier): FullReading<string> => {
    const reading = day(text)
    if ('problems' in reading) return reading
    const setToday = `pulumi config set --plaintext ${key} ${formatDay(now)}`
    const ends = daysAfter(reading.value, secretLifetimeDays)
    if (ends <= now)
      return refuse(`gives a client secret that expired on ${formatDay(ends)}. Rotate it: ${setToday}`)
    return reading.value > daysAfter(now, 1)
      ? refuse(`is in the future. Set it to today: ${setToday}`)
      : { value: text }
  }
}
