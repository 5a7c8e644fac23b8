import type { Cidr } from '../action/address/range.ts'
import { type Ipv6Suffix, parseSuffix } from '../action/address/suffix.ts'
import { readBaseUrl, readToken } from '../action/inputs/api-access.ts'
import { readCidrs } from '../action/inputs/cidrs.ts'
import { type Reader, readBoolean, readChoice } from '../action/inputs/reader.ts'
import { readTtl } from '../action/inputs/record.ts'
import { readSecretUrl } from '../action/inputs/secret-url.ts'
import { inputDefaults } from '../action/inputs/table.ts'
import { checkZoneId } from '../action/inputs/targets.ts'
import { parseIpv4, parseIpv6 } from '../action/ip-address.ts'
import { notifyFormats } from '../action/notify.ts'
import type { Reading } from '../action/problem.ts'
import { quote } from '../action/text/quote.ts'
import { tokenLink } from '../action/text/token-link.ts'
import { readHosts } from './hosts.ts'

/** A setting of the endpoint: an environment variable on Node, a binding of the Worker. */
export interface Row {
  /** The value's name among the settings. */
  readonly field: string
  /** Reads the text as an input of the action does, whatever the input's name. With a problem it returns a placeholder. */
  readonly read: (read: Reader) => unknown
  /** The text that stands for a missing or blank one. */
  readonly default?: string
  /** What to do if it is missing. A setting without it is optional. */
  readonly fix?: string
  /** Whether it is never printed. */
  readonly secret?: true
  /** Whether only the entry on Node has it. */
  readonly only?: 'node'
}

const readText = (read: Reader) => read.text('hostname')
const readFlag = (read: Reader) => readBoolean(read, 'create')
const readUrl = (read: Reader) => readSecretUrl(read, 'notify-url')

/** Every setting, in the order of the documentation, which `tools/push-prose.ts` adds the meanings to. */
export const table = {
  API_TOKEN: {
    field: 'apiToken',
    read: read => readToken(read, ''),
    fix: `Create a token with ${tokenLink} and select this zone only.`,
    secret: true,
  },
  ZONE_ID: { field: 'zoneId', read: readZoneId, fix: 'Copy the zone ID from the overview page of the zone.' },
  HOSTS: {
    field: 'hosts',
    read: parsed(readHosts, []),
    fix: 'Create a line with `npm run push -- add HOSTNAME`.',
    secret: true,
  },
  // Seconds; 1 means automatic.
  TTL: { field: 'ttl', read: readTtl, default: inputDefaults.ttl },
  PROXIED: { field: 'proxied', read: readFlag, default: 'false' },
  EXPECTED_CIDR: { field: 'expectedCidrs', read: readCidrs },
  IPV6_SUFFIX: { field: 'ipv6Suffix', read: parsed(readSuffix, null) },
  CREATE: { field: 'create', read: readFlag, default: 'false' },
  HEARTBEAT_URL: { field: 'heartbeatUrl', read: readUrl, secret: true },
  NOTIFY_URL: { field: 'notifyUrl', read: readUrl, secret: true },
  NOTIFY_FORMAT: {
    field: 'notifyFormat',
    read: read => readChoice(read, 'notify-format', notifyFormats),
    default: inputDefaults['notify-format'],
  },
  QUERY_PASSWORDS: { field: 'queryPasswords', read: readFlag, default: 'false' },
  PLAIN_HTTP: { field: 'plainHttp', read: readFlag, default: 'false' },
  BASE_URL: { field: 'baseUrl', read: readBaseUrl, default: inputDefaults['base-url'] },
  // Proxies whose X-Forwarded-For is believed.
  TRUSTED_PROXIES: { field: 'trustedProxies', read: readProxies, only: 'node' },
  HOST: { field: 'host', read: readText, default: '127.0.0.1', only: 'node' },
  PORT: { field: 'port', read: parsed(readPort, 0), default: '8080', only: 'node' },
} as const satisfies Readonly<Record<string, Row>>

type Table = typeof table
export type SettingName = keyof Table

/** Every row with its name, without the exact types. */
export const rows: readonly (readonly [SettingName, Row])[] = Object.entries(table) as [SettingName, Row][]

/** The endpoint's validated settings, by field. */
export type PushSettings = {
  readonly [Name in SettingName as Table[Name]['field']]: ReturnType<Table[Name]['read']>
}

/** Reads with a function that knows no name of an input. */
function parsed<Value, Placeholder>(
  parse: (text: string) => Reading<Value, string>,
  placeholder: Placeholder,
): (read: Reader) => Value | Placeholder {
  return read => {
    const reading = parse(readText(read))
    if ('value' in reading) return reading.value
    read.addProblem('hostname', reading.problem)
    return placeholder
  }
}

function readZoneId(read: Reader): string {
  checkZoneId(read, 'zone-id', readText(read))
  return readText(read).toLowerCase()
}

function readSuffix(text: string): Reading<Ipv6Suffix | null, string> {
  const suffix = text === '' ? { value: null } : parseSuffix(text)
  return 'value' in suffix ? suffix : { problem: `is ${quote(text)}, which ${suffix.problem}.` }
}

function readPort(text: string): Reading<number, string> {
  const isPort = /^\d{1,5}$/.test(text) && Number(text) <= 65_535
  return isPort ? { value: Number(text) } : { problem: 'is not a number from 0 to 65535.' }
}

/** Ranges of strangers would believe a forged header. The widest private ones are 10.0.0.0/8 and fc00::/7. */
function readProxies(read: Reader): readonly Cidr[] {
  const asRange = (text: string) => (parseIpv4(text) ? `${text}/32` : parseIpv6(text) ? `${text}/128` : text)
  const ranges = readCidrs({ ...read, lines: name => read.lines(name).map(asRange) })
  const wide = ranges.map(({ text }) => text).filter(text => /\/[0-6]$/.test(text))
  if (wide.length > 0) read.addProblem('expected-cidr', `trusts ${wide.join(', ')}. List only your proxies.`)
  return ranges
}
