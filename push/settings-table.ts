import type { Cidr } from '../action/address/range.ts'
import { type Ipv6Suffix, parseSuffix } from '../action/address/suffix.ts'
import { readBaseUrl, readToken } from '../action/inputs/api-access.ts'
import { readCidrs } from '../action/inputs/cidrs.ts'
import { type Reader, readBoolean, readChoice } from '../action/inputs/reader.ts'
import { readTtl } from '../action/inputs/record.ts'
import { readSecretUrl } from '../action/inputs/secret-url.ts'
import { inputDefaults } from '../action/inputs/table.ts'
import { checkZoneId } from '../action/inputs/targets.ts'
import { notifyFormats } from '../action/notify.ts'
import { quote } from '../action/text/quote.ts'
import { type Host, readHosts } from './hosts.ts'

/** A setting of the endpoint: an environment variable on Node, a binding of the Worker. */
export interface Row {
  /** The value's name among the settings. Without it, only the entry on Node reads the setting. */
  readonly field?: string
  /**
   * Reads the text as an input of the action, whatever the input's name. It adds a problem without a secret, and then
   * returns a placeholder.
   */
  readonly read?: (read: Reader) => unknown
  /** The text that stands for a missing or blank one. */
  readonly default?: string
  /** What to do if it is missing. A setting without it is optional. */
  readonly fix?: string
  /** Whether it is never printed. */
  readonly secret?: true
  /** Whether only the entry on Node has it. */
  readonly only?: 'node'
}

/** Every setting, in the order of the documentation, which `tools/push-prose.ts` adds the meanings to. */
export const table = {
  API_TOKEN: {
    field: 'apiToken',
    read: read => readToken(read, ''),
    fix: 'Create a token from the template "Edit zone DNS" for this zone only.',
    secret: true,
  },
  ZONE_ID: { field: 'zoneId', read: readZoneId, fix: 'Copy the zone ID from the overview page of the zone.' },
  HOSTS: {
    field: 'hosts',
    read: readHostLines,
    fix: 'Create a line with `npm run push -- add HOSTNAME`.',
    secret: true,
  },
  // Seconds; 1 means automatic.
  TTL: { field: 'ttl', read: readTtl, default: inputDefaults.ttl },
  PROXIED: { field: 'proxied', read: read => readBoolean(read, 'proxied'), default: 'false' },
  EXPECTED_CIDR: { field: 'expectedCidrs', read: readCidrs },
  IPV6_SUFFIX: { field: 'ipv6Suffix', read: readSuffix },
  CREATE: { field: 'create', read: read => readBoolean(read, 'create'), default: 'false' },
  HEARTBEAT_URL: { field: 'heartbeatUrl', read: read => readSecretUrl(read, 'heartbeat-url'), secret: true },
  NOTIFY_URL: { field: 'notifyUrl', read: read => readSecretUrl(read, 'notify-url'), secret: true },
  NOTIFY_FORMAT: {
    field: 'notifyFormat',
    read: read => readChoice(read, 'notify-format', notifyFormats),
    default: inputDefaults['notify-format'],
  },
  QUERY_PASSWORDS: { field: 'queryPasswords', read: read => readBoolean(read, 'create'), default: 'false' },
  PLAIN_HTTP: { field: 'plainHttp', read: read => readBoolean(read, 'create'), default: 'false' },
  BASE_URL: { field: 'baseUrl', read: readBaseUrl, default: inputDefaults['base-url'] },
  // Proxies whose X-Forwarded-For is believed.
  TRUSTED_PROXIES: { field: 'trustedProxies', read: readProxies, only: 'node' },
  HOST: { default: '127.0.0.1', only: 'node' },
  PORT: { default: '8080', only: 'node' },
} as const satisfies Readonly<Record<string, Row>>

type Table = typeof table
export type SettingName = keyof Table

/** Every row with its name, without the exact types. */
export const rows: readonly (readonly [SettingName, Row])[] = Object.entries(table) as [SettingName, Row][]

/** The endpoint's validated settings, by field. */
export type PushSettings = {
  readonly [Name in SettingName as Table[Name] extends { readonly field: infer Field extends string }
    ? Field
    : never]: Table[Name] extends { readonly read: (read: Reader) => infer Value } ? Value : never
}

function readZoneId(read: Reader): string {
  const id = read.text('zone-id')
  checkZoneId(read, 'zone-id', id)
  return id.toLowerCase()
}

function readHostLines(read: Reader): readonly Host[] {
  const hosts = readHosts(read.text('hostname'))
  if ('value' in hosts) return hosts.value
  read.addProblem('hostname', hosts.problem)
  return []
}

function readSuffix(read: Reader): Ipv6Suffix | null {
  const text = read.text('ipv6-suffix')
  const suffix = text === '' ? { value: null } : parseSuffix(text)
  if ('value' in suffix) return suffix.value
  read.addProblem('ipv6-suffix', `is ${quote(text)}, which ${suffix.problem}.`)
  return null
}

/** A range of all addresses would believe a forged header. */
function readProxies(read: Reader): readonly Cidr[] {
  const ranges = readCidrs(read)
  if (ranges.some(({ text }) => text.endsWith('/0')))
    read.addProblem('expected-cidr', 'trusts every address. List only your proxies.')
  return ranges
}
