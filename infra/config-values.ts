import { isIP } from 'node:net'
import { isLoopback } from '../src/settings/service-url.ts'

/**
 * Readers of single configuration values. Each takes the text of a stack file and gives the value, or a sentence that
 * says what is wrong and how to mend it; the sentence continues the name of the key.
 */
export type Read<T> = { readonly value: T } | { readonly problem: string }

const problem = (text: string): { readonly problem: string } => ({ problem: text })

/** 32 hex digits, as zones, accounts and records are named. */
export function readId(text: string, where: string): Read<string> {
  return /^[0-9a-f]{32}$/.test(text)
    ? { value: text }
    : problem(`is not 32 hex digits in lower case. Copy it from ${where}.`)
}

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const hostForm = new RegExp(`^(?=.{1,253}$)(${label}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

/** A fully qualified name in the form the service gives it back, so that it never reads as a change. */
export function readHostname(text: string): Read<string> {
  return hostForm.test(text)
    ? { value: text }
    : problem(
        'is not a full hostname in lower case ASCII, without a dot at its end. Give one such as home.example.com.',
      )
}

/** An IPv4 address without leading zeros, which some readers take for octal. */
export function readIpv4(text: string): Read<string> {
  const octets = text.split('.')
  const fits = octets.length === 4 && octets.every(octet => /^(0|[1-9]\d{0,2})$/.test(octet) && +octet <= 255)
  return fits ? { value: text } : problem('is not an IPv4 address. Give one such as 192.0.2.1.')
}

/** `true` or `false`, nothing that merely looks like it. */
export function readBoolean(text: string): Read<boolean> {
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : problem('is neither true nor false. Set one of them.')
}

/** One of a few words. */
export function readChoice<T extends string>(text: string, choices: readonly T[]): Read<T> {
  const found = choices.find(choice => choice === text)
  return found === undefined ? problem(`is not ${choices.join(' or ')}. Set one of them.`) : { value: found }
}

/** A whole number from `least` to `most`. */
export function readInteger(text: string, least: number, most: number): Read<number> {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return number >= least && number <= most
    ? { value: number }
    : problem(`is not a whole number from ${least} to ${most}. Set one in that range.`)
}

/** A list: JSON, as a stack file's list arrives, or separated by commas or spaces, as `pulumi config set` is given it. */
export function readList(text: string): Read<readonly string[]> {
  if (!text.startsWith('[')) {
    return { value: text.split(/[\s,]+/).filter(part => part !== '') }
  }
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed) && parsed.every((part): part is string => typeof part === 'string')) {
      return { value: parsed }
    }
  } catch {
    // Told below, with the lists of other things than texts.
  }
  return problem('is not a list of texts. Write a list in the stack file, or separate them by commas.')
}

const dayMs = 24 * 60 * 60 * 1000

/** A calendar day, `2026-03-31`, as the instant at which it begins in UTC. */
export function readDay(text: string): Read<number> {
  const begins = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(begins) && formatInstant(begins).startsWith(text)
    ? { value: begins }
    : problem('is not a day such as 2026-03-31. Give the day in this form.')
}

/** The instant so many days after another, both milliseconds since 1970. */
export function daysAfter(instant: number, days: number): number {
  return instant + days * dayMs
}

/** An instant as the services write it: UTC, to the second. */
export function formatInstant(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}

/** An instant such as `2026-03-31T12:00:00Z` that is still to come. */
export function readFuture(text: string, now: number): Read<string> {
  const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(instant) || formatInstant(instant) !== text) {
    return problem('is not an instant in UTC such as 2026-03-31T12:00:00Z. Give it in this form.')
  }
  if (instant > now) return { value: text }
  return problem(`is in the past (${text}), so the token would be born dead. Give a later instant.`)
}

/** What a Worker's custom domain serves: https, a host of its own, no port, nothing behind it. */
export function readPublicOrigin(text: string): Read<URL> {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') {
    return problem('is not an https address. Give one such as https://people.example.com.')
  }
  if (url.origin !== text) {
    return problem(
      `is not a bare origin in the form a browser gives it. Write ${url.origin}: lower case, no path, no slash at its end.`,
    )
  }
  if (url.port !== '') return problem('names a port, and a custom domain is served on 443. Leave it out.')
  return 'value' in readHostname(url.hostname)
    ? { value: url }
    : problem('has no host of a zone. Give one such as https://people.example.com.')
}

/** The address of the provider or its directory API: https, nothing after the host. */
export function readServiceUrl(text: string): Read<string> {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))) {
    return problem('is not an https address (http on this machine). Give it in full.')
  }
  if (url.href !== `${url.origin}/`) return problem(`holds more than a host. Use ${url.origin}.`)
  return { value: text }
}

/** Where the former login lives: an https address, or a path of the handler's own host. */
export function readLegacyUrl(text: string): Read<string> {
  const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\')
  const url = URL.parse(text)
  return isPath || (url?.protocol === 'https:' && url.username === '' && url.password === '')
    ? { value: text }
    : problem('is neither an https address nor a path that starts with one slash. Give one of them.')
}

const domainForm = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/

/** Whether a text is a domain of employees' addresses as the handler takes it, or `*`, its word for any. */
export function isDomain(text: string): boolean {
  return text === '*' || domainForm.test(text)
}

/** Login and directory hosts of each cloud, as the handler knows them; tokens do not cross clouds. */
const clouds = [
  { instances: ['login.microsoftonline.com'], graphs: ['graph.microsoft.com'] },
  { instances: ['login.microsoftonline.us'], graphs: ['graph.microsoft.us', 'dod-graph.microsoft.us'] },
  {
    instances: ['login.partner.microsoftonline.cn', 'login.chinacloudapi.cn'],
    graphs: ['microsoftgraph.chinacloudapi.cn'],
  },
] as const

/** Whether two service addresses are of one cloud, or both of none that is known. */
export function areOfOneCloud(instance: string, graphUrl: string): boolean {
  const hosts = [instance, graphUrl].map(text => URL.parse(text)?.hostname)
  const cloudOf = (kind: 'instances' | 'graphs', host: string | undefined) =>
    clouds.findIndex(cloud => cloud[kind].some(one => one === host))
  return cloudOf('instances', hosts[0]) === cloudOf('graphs', hosts[1])
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs }

/** A session's length such as `8h`, from a minute to a week: what the handler accepts. */
export function readSessionLifetime(text: string): Read<string> {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const time = Number(amount) * (unitMs[unit] ?? Number.NaN)
  return time >= 60_000 && time <= 7 * dayMs
    ? { value: text }
    : problem('is not a time from 1m to 7d. Give one such as 8h.')
}

/** Whether a text is an object id of the directory. */
export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** Shortest prefixes of a limit: registries give nobody more at once, and two halves of all addresses are no limit. */
const shortestPrefix = { 4: 8, 6: 16 } as const

/** Whether a text is an address range, and small enough to be a limit. */
export function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/')
  if (rest.length > 0 || !/^[1-9]\d{0,2}$/.test(prefix)) return false
  if ('value' in readIpv4(address)) return +prefix >= shortestPrefix[4] && +prefix <= 32
  // With a zone it would be an address of one machine's interface.
  const isIpv6 = isIP(address) === 6 && !address.includes('%')
  return isIpv6 && +prefix >= shortestPrefix[6] && +prefix <= 128
}
