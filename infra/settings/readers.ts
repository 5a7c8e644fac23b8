import { canonicalHostname, maxHostnames } from '../../lib/hostname.ts'
import { parseCidr } from '../../lib/ip-address.ts'
import type { FullReading } from '../../lib/reading.ts'
import { isGuid, parseDay } from '../../lib/settings/readers.ts'
import { parseUrl } from '../../lib/url.ts'
import { readHosts } from '../../push/hosts.ts'
import { readWorkflow, readWorkflowToken } from '../../push/workflow.ts'
import { readRedirectUri, redirectUriOf } from '../../src/settings/redirect-uri.ts'

/**
 * The result of reading one configuration key: its value, or what is wrong and how to fix it, in sentences that continue
 * the name of the key.
 */
export type KeyReading<T> = FullReading<T>

export const signInPlaces = ['worker', 'host', 'none'] as const
export const pushPlaces = ['none', 'worker'] as const

/** Which parts a stack has. */
export interface Parts {
  readonly record: boolean
  readonly signIn: (typeof signInPlaces)[number]
  readonly push: (typeof pushPlaces)[number]
}

/** What the reader of a key can need: the values of rows above it, as far as they were not refused, and more. */
export interface Earlier extends Partial<Parts> {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Of the handler; an empty text without one. */
  readonly basePath: string
  readonly hostname?: readonly string[]
  readonly recordType?: readonly RecordType[]
  readonly publicOrigin?: Origins
}

type Origins = readonly [URL, ...URL[]]

function refuse(problem: string): { readonly problems: readonly string[] } {
  return { problems: [problem] }
}

/** Reads an id of a zone, an account or a record: 32 hex digits. */
export function readId(text: string, where: string): KeyReading<string> {
  return /^[0-9a-f]{32}$/.test(text)
    ? { value: text }
    : refuse(`is not 32 hex digits in lower case. Copy it from ${where}.`)
}

/** Reads a fully qualified name, spelled as Cloudflare returns it, so that it never shows as a change. */
export function readHostname(text: string): KeyReading<string> {
  return canonicalHostname(text) === text && !text.startsWith('*')
    ? { value: text }
    : refuse(
        'is not a full hostname in lower-case ASCII without a final dot. Use one such as home.example.com.',
      )
}

/** Reads one of a few words. */
export function readChoice<const T extends string>(text: string, choices: readonly T[]): KeyReading<T> {
  const found = choices.find(choice => choice === text)
  if (found !== undefined) return { value: found }
  const listed = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
  return refuse(`must be ${listed}. Set one of them.`)
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

/** Formats milliseconds since 1970 as Cloudflare and Entra do: UTC, to the second. */
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

/** A wider range is no limit: nobody is assigned more, and the two halves of the address space would pass as ranges. */
const minPrefix = { 4: 8, 6: 16 } as const

/** Returns whether the text is an address range that is narrow enough to be a limit. */
export function isCidr(text: string): boolean {
  const reading = parseCidr(text)
  return 'value' in reading && reading.value.prefix >= minPrefix[reading.value.family]
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

/** Reads `owner/name` of a repository. An owner that an enterprise manages has a name with an underscore. */
export function readRepository(
  text: string,
): KeyReading<{ readonly owner: string; readonly repository: string }> {
  const [, owner, repository] = /^([A-Za-z0-9_-]{1,39})\/([A-Za-z0-9._-]{1,100})$/.exec(text) ?? []
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

/** Reads a list whose parts are each in a form. */
export function readParts(
  text: string,
  key: string,
  wanted: string,
  fits: (part: string) => boolean,
): KeyReading<readonly string[]> {
  const parts = readList(text)
  if ('problems' in parts) return parts
  if (parts.value.length === 0)
    return refuse(`is set but empty. List ${wanted}, or remove it: pulumi config rm ${key}`)
  const problems = parts.value
    .filter(part => !fits(part))
    .map(part => `has ${JSON.stringify(part)}, which is not ${wanted}. Fix or remove it.`)
  return problems.length > 0 ? { problems } : { value: [...new Set(parts.value)] }
}

/** Reads a list of lines: as a stack file's list, or text with line breaks or semicolons. */
function readLines(text: string): KeyReading<readonly string[]> {
  if (text.startsWith('[')) return readList(text)
  const lines = text.split(/[\r\n;]+/).map(line => line.trim())
  return { value: lines.filter(line => line !== '') }
}

const maxShown = 300
const quoted = (text: string): string => JSON.stringify(text.slice(0, maxShown))

/** A credential that somebody created by hand, and the day on which it ends, `2027-05-31`. */
export interface CredentialEnd {
  readonly name: string
  readonly endsOn: string
}

/** Reads a line `NAME DATE` for each credential. A day that has passed is no reason to refuse a deployment: drift reports it. */
export function readCredentialEnds(text: string): KeyReading<readonly CredentialEnd[]> {
  const lines = readLines(text)
  if ('problems' in lines) return lines
  const ends: CredentialEnd[] = []
  const problems = lines.value.flatMap(line => {
    const [, name = '', endsOn = ''] = /^([\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}?)\s+(\S+)$/u.exec(line) ?? []
    if (parseDay(endsOn) === null)
      return [`has the line ${quoted(line)}, which is not NAME DATE. Use the form deploy token 2026-03-31.`]
    if (ends.some(end => end.name === name)) return [`names ${quoted(name)} twice. Keep one line.`]
    ends.push({ name, endsOn })
    return []
  })
  return problems.length > 0 ? { problems } : { value: ends }
}

/** Types of address records. */
export const recordTypes = ['A', 'AAAA'] as const
export type RecordType = (typeof recordTypes)[number]

/** Names a record for people: `home.example.com A`. */
export const titleOf = ({ name, type }: { readonly name: string; readonly type: string }): string =>
  `${name} ${type}`

/** Returns the titles of the records that a configuration declares: by hostname, then by type. */
export function recordTitles({
  hostname,
  recordType,
}: Pick<Earlier, 'hostname' | 'recordType'>): readonly string[] {
  return (hostname ?? []).flatMap(name => (recordType ?? []).map(type => titleOf({ name, type })))
}

/** Reads one or several hostnames, separated by commas, blanks or lines. */
export function readHostnames(text: string): KeyReading<readonly [string, ...string[]]> {
  const list = readList(text)
  if ('problems' in list) return list
  const [first, ...others] = list.value
  if (first === undefined) return refuse('names no hostname. Set one such as home.example.com.')
  const names = [first, ...others]
  if (names.length > maxHostnames)
    return refuse(
      `has ${names.length} hostnames, and ${maxHostnames} is the most. Make the others CNAMEs to one of them, or use a second stack.`,
    )
  if (others.length === 0) {
    const reading = readHostname(first)
    return 'value' in reading ? { value: [first] } : reading
  }
  const problems = names.flatMap((name, index) => {
    if (names.indexOf(name) < index) return [`has ${quoted(name)} twice. Remove one.`]
    const reading = readHostname(name)
    return 'value' in reading ? [] : reading.problems.map(problem => `has ${quoted(name)}, which ${problem}`)
  })
  return problems.length > 0 ? { problems } : { value: [first, ...others] }
}

/** Reads `A`, `AAAA` or both, in the order in which they are given: a stack's first record keeps its place. */
export function readRecordTypes(text: string): KeyReading<readonly [RecordType, ...RecordType[]]> {
  const words = text.split(',').map(word => word.trim())
  const [first, ...others] = words.flatMap(word => recordTypes.filter(type => type === word))
  if (first === undefined || words.length !== others.length + 1 || others.includes(first))
    return refuse('is not A, AAAA or both. Set A, AAAA or A,AAAA.')
  return { value: [first, ...others] }
}

/**
 * Reads which records to adopt: the ID of the only one, or a line `NAME TYPE ID` for each.
 * @param titles the declared records; empty if they were refused
 * @returns IDs by title
 */
export function readImports(
  text: string,
  titles: readonly string[],
): KeyReading<ReadonlyMap<string, string>> {
  const place = 'the list of records'
  if (!/\s/.test(text)) {
    const reading = readId(text, place)
    if ('problems' in reading) return reading
    const [only = '', ...others] = titles
    return others.length === 0
      ? { value: new Map([[only, reading.value]]) }
      : refuse(
          `does not say which of ${titles.length} records it is. Use a line for each, such as ${only} ${reading.value}.`,
        )
  }
  const lines = readLines(text)
  if ('problems' in lines) return lines
  const ids = new Map<string, string>()
  const problems = lines.value.flatMap(line => {
    const [name = '', type = '', id = '', ...rest] = line.split(/\s+/)
    const title = `${name} ${type}`
    const reading = readId(id, place)
    if (rest.length > 0 || 'problems' in reading)
      return [`has the line ${quoted(line)}, which is not NAME TYPE ID. Copy the ID from ${place}.`]
    if (titles.length > 0 && !titles.includes(title))
      return [`has the line ${quoted(line)}, but the stack declares ${titles.join(', ')}. Fix or remove it.`]
    if (ids.has(title) || [...ids.values()].includes(reading.value))
      return [`has the line ${quoted(line)}, whose record or ID another line has. Remove one.`]
    ids.set(title, reading.value)
    return []
  })
  return problems.length > 0 ? { problems } : { value: ids }
}

/** As many as the handler takes. */
const maxOrigins = 20

/** Reads the origins of the handler: one for a Worker, which is not a dynamic hostname, and several for a host. */
export function readPublicOrigins(text: string, { signIn, hostname = [] }: Earlier): KeyReading<Origins> {
  const place = signIn === 'worker' ? 'worker' : 'host'
  const texts = readList(text)
  if ('problems' in texts) return texts
  const count = texts.value.length
  if (place === 'worker' && count > 1)
    return refuse(`has ${count} origins, and a Worker has one. Keep one of them.`)
  if (count > maxOrigins || count === 0) return refuse(`has ${count} origins. Set one to ${maxOrigins}.`)
  const origins: URL[] = []
  const problems = texts.value.flatMap(one => {
    const reading = readPublicOrigin(one, place)
    const which = count === 1 ? '' : `has ${quoted(one)}, which `
    if ('problems' in reading) return reading.problems.map(problem => which + problem)
    const host = reading.value.hostname
    if (origins.some(origin => origin.hostname === host))
      return [`has the host ${host} twice. Keep one origin for each host.`]
    if (place === 'worker' && hostname.includes(host))
      return [
        `has the host ${host}, which is the dynamic hostname. A custom domain refuses a name that has a record. Use another host.`,
      ]
    origins.push(reading.value)
    return []
  })
  const [first, ...others] = origins
  return first === undefined || problems.length > 0 ? { problems } : { value: [first, ...others] }
}

/** Stands for origins that were refused. */
export const exampleOrigins: Origins = [new URL('https://people.example.com')]

/**
 * Reads the path of the redirect URIs, by the handler's rule.
 * @param isGiven whether it was set; the default is below the base path
 */
export function readRedirectPath(
  text: string,
  { publicOrigin = exampleOrigins, basePath }: Earlier,
  isGiven: boolean,
): KeyReading<string> {
  const path = isGiven ? text : basePath + text
  if (!path.startsWith('/')) return refuse('has no slash at its start. Add it.')
  // The longest one, since only the origins differ.
  const longest = publicOrigin
    .map(({ origin }) => redirectUriOf(origin, path))
    .reduce((one, other) => (other.length > one.length ? other : one))
  const reading = readRedirectUri(longest, basePath)
  return 'problems' in reading ? reading : { value: path }
}

/** How long each of the two client secrets lasts. */
export const secretLifetimeDays = 180

/** Reads the day on which a client secret was created. */
export function readRotation(text: string, now: number, key: string): KeyReading<string> {
  const day = readDay(text)
  if ('problems' in day) return day
  const setToday = `pulumi config set --plaintext ${key} ${formatTime(now).slice(0, 10)}`
  const ends = daysAfter(day.value, secretLifetimeDays)
  if (ends <= now)
    return refuse(
      `gives a client secret that expired on ${formatTime(ends).slice(0, 10)}. Rotate it: ${setToday}`,
    )
  if (day.value > daysAfter(now, 1)) return refuse(`is in the future. Set it to today: ${setToday}`)
  return { value: text }
}

/** Reads the origin of the push endpoint, whose host nothing else has. */
export function readPushOrigin(
  text: string,
  { hostname = [], publicOrigin }: Partial<Earlier>,
): KeyReading<URL> {
  const reading = readPublicOrigin(text, 'worker', 'https://push.example.com')
  if ('problems' in reading) return reading
  const host = reading.value.hostname
  const owner = hostname.includes(host)
    ? 'is a hostname of the records'
    : publicOrigin?.some(origin => origin.hostname === host)
      ? 'is that of publicOrigin'
      : null
  return owner === null
    ? reading
    : refuse(`has the host ${host}, which ${owner}. A custom domain has a host of its own. Use another one.`)
}

/** Checks the workflow that the clock starts, and keeps its text. */
export function readClock(text: string): KeyReading<string> {
  const reading = readWorkflow(text)
  return 'problem' in reading ? refuse(reading.problem) : { value: text }
}

/** Checks the token for it. */
export function readClockToken(text: string): KeyReading<null> {
  const reading = readWorkflowToken(text)
  return 'problem' in reading ? refuse(reading.problem) : { value: null }
}

/** The longest text of a secret (documentation of Workers, Limits). About 40 names. */
const maxSecretBytes = 5 * 1024

/** Checks the lines of the endpoint. Each record belongs to the stack, which says that it exists; the endpoint has its address. */
export function readPushHosts(text: string, earlier: Partial<Earlier>): KeyReading<null> {
  const hosts = readHosts(text)
  if ('problem' in hosts) return refuse(hosts.problem)
  const titles = recordTitles(earlier)
  const problems = hosts.value
    .flatMap(({ name, types }) => types.map(type => titleOf({ name, type })))
    .filter(title => !titles.includes(title))
    .map(
      title =>
        `has ${title}, but the stack declares ${titles.join(', ')}. The endpoint only keeps records of its stack: add it to hostname and recordType, or remove it here.`,
    )
  const bytes = Buffer.byteLength(text)
  if (bytes > maxSecretBytes)
    problems.push(
      `has ${bytes} bytes, and a secret can have ${maxSecretBytes}. Use a second stack for some names.`,
    )
  return problems.length > 0 ? { problems } : { value: null }
}
