import { parsePort } from '../port.ts'
import { quote } from '../quote.ts'
import type { FullReading, Reading } from '../reading.ts'
import { type RecordType, recordTypes } from '../record-type.ts'
import { hasCredentials, parseSafeUrl } from '../url.ts'

/**
 * Readers of settings that rooms share. Each takes a text without blanks around it, and its problems continue the setting's name: "is
 * "x". Use true or false." They repeat the text, so none but `secretUrl` is for a secret. A list takes any parser of one entry:
 * `list(parseCidr)` of ip-address.ts, `list(parseTrustedProxy)` of trusted-proxies.ts, `list(parseGuid)`.
 */
export type Reader<Value> = (text: string) => FullReading<Value>

/** Returns a reading that failed for one reason. */
export function refuse(problem: string): { readonly problems: readonly [string] } {
  return { problems: [problem] }
}

/** Returns a reading that failed because the text is not what is wanted. @param fix a sentence without its full stop, such as `Use A or B` */
function refuseText(text: string, fix: string): { readonly problems: readonly [string] } {
  return refuse(`is ${quote(text)}. ${fix}.`)
}

/** Makes a reader that takes a missing text for null. */
export function optional<Value, Earlier = unknown>(
  read: (text: string, earlier: Earlier) => FullReading<Value>,
) {
  return (text: string, earlier: Earlier): FullReading<Value | null> =>
    text === '' ? { value: null } : read(text, earlier)
}

/** Reads any text. */
export function anyText(text: string): FullReading<string> {
  return { value: text }
}

/** Makes a reader of texts in a form. @param fix what to use, without a full stop, such as `Use the form owner/name` */
export function textLike(form: RegExp, fix: string): Reader<string> {
  return text => (form.test(text) ? { value: text } : refuseText(text, fix))
}

/** Reads `true` or `false`, in any case. */
export function boolean(text: string): FullReading<boolean> {
  const reading = choice('true', 'false')(text)
  return 'value' in reading ? { value: reading.value === 'true' } : reading
}

/** Makes a reader of a few words, in any case. */
export function choice<const Choice extends string>(...choices: readonly Choice[]): Reader<Choice> {
  return text => {
    const value = choices.find(allowed => allowed === text.toLowerCase())
    return value === undefined ? refuseText(text, `Use ${either(choices)}`) : { value }
  }
}

function either(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ')
}

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/**
 * Reads a time such as `500ms`, `10s`, `30m`, `8h` or `1d` as milliseconds.
 * @param range the limits in words, with an example, such as `1s to 15m, such as 60s`
 */
export function readDuration(
  text: string,
  limits: { readonly minMs: number; readonly maxMs: number; readonly range: string },
): FullReading<number> {
  const [, amount, unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? []
  const value = Number(amount) * (unitsMs[unit] ?? Number.NaN)
  return value >= limits.minMs && value <= limits.maxMs
    ? { value }
    : refuseText(text, `Use a time from ${limits.range}`)
}

/** Reads the number of a TCP port. */
export function port(text: string): FullReading<number> {
  const value = parsePort(text)
  return value === null ? refuseText(text, 'Use a number from 0 to 65535') : { value }
}

const maxSecretUrlKiB = 8

/** Reads a URL that is a secret, since anyone with it can post there. */
export function secretUrl(text: string): FullReading<string> {
  const url = parseSafeUrl(text)
  return url && !hasCredentials(url) && text.length <= maxSecretUrlKiB * 1024
    ? { value: url.href }
    : refuse(
        `is not one https URL of at most ${maxSecretUrlKiB} KiB, without white space, user name or password (http only on loopback). Paste it again.`,
      )
}

/** Reads a day, `2026-03-31`, as the time at which it begins in UTC, in milliseconds since 1970. */
export function day(text: string): FullReading<number> {
  const value = parseDay(text)
  return value === null ? refuseText(text, 'Use a day such as 2027-01-31') : { value }
}

/** Parses a day as `day` reads it; null if it is not one. */
export function parseDay(text: string): number | null {
  const begins = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse takes 2026-02-30 for a day in March.
  return !Number.isNaN(begins) && formatDay(begins) === text ? begins : null
}

/** Returns a time as a day in UTC. @param time milliseconds since 1970 */
export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Reads `A`, `AAAA` or both, in any case and in the order in which they are given. */
export function readRecordTypes(text: string): FullReading<readonly [RecordType, ...RecordType[]]> {
  const words = text
    .toUpperCase()
    .split(',')
    .map(word => word.trim())
  const [first, ...others] = words.flatMap(word => recordTypes.filter(type => type === word))
  return first === undefined || words.length !== others.length + 1 || others.includes(first)
    ? refuseText(text, 'Use A, AAAA, or A,AAAA')
    : { value: [first, ...others] }
}

/** Makes a reader of 32 hex digits, in lower case. @param source where to copy them, such as `the overview page of the zone` */
export function hexId(source: string): Reader<string> {
  return text => {
    if (/^[0-9a-f]{32}$/i.test(text)) return { value: text.toLowerCase() }
    return refuseText(text, `Use the 32 hex digits from ${source}`)
  }
}

/** Parses a GUID, in lower case. */
export function parseGuid(text: string): Reading<string> {
  return isGuid(text)
    ? { value: text.toLowerCase() }
    : { problem: 'is not an ID such as 9f3c2d1e-0000-4000-8000-000000000001. Copy it again' }
}

/** Whether a text has the form of Entra's IDs, in either case (RFC 9562 §4). */
export function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/** Parses one entry of a list. The problem continues the quoted entry, without a full stop. */
export type ParseEntry<Value> = (text: string) => Reading<Value>

export interface ListRules<Value> {
  /** What separates entries. By default, white space and commas. */
  readonly separator?: RegExp
  readonly max?: number
  /** What to do about more entries. */
  readonly advice?: string
  /** Returns what no two entries may share. */
  readonly keyOf?: (value: Value) => string
}

/** Makes a reader of a list, which is empty for a missing text. Blank entries count as none. */
export function list<Value>(
  parse: ParseEntry<Value>,
  { separator = /[\s,]+/, max = Number.POSITIVE_INFINITY, advice = '', keyOf }: ListRules<Value> = {},
): Reader<readonly Value[]> {
  return text => {
    const entries = text.split(separator).flatMap(entry => entry.trim() || [])
    if (entries.length > max)
      return refuse(`lists ${entries.length} entries. The limit is ${max}. ${advice}`.trim())
    const seen = new Set<string>()
    const value: Value[] = []
    const problems = entries.flatMap(entry => {
      const reading = parse(entry)
      if ('problem' in reading) return [`has ${quote(entry)}, which ${reading.problem}.`]
      const key = keyOf?.(reading.value)
      if (key !== undefined && seen.has(key)) return [`lists ${key} twice. Remove one of them.`]
      if (key !== undefined) seen.add(key)
      value.push(reading.value)
      return []
    })
    return problems.length > 0 ? { problems } : { value }
  }
}
