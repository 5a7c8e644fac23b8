import { type Ipv6Suffix, parseSuffix } from '../action/address/suffix.ts'
import { checkExpectedTypes, readCidrs } from '../action/inputs/addresses.ts'
import { type Reader, readBoolean, readItems } from '../action/inputs/reader.ts'
import { checkZoneId } from '../action/inputs/records.ts'
import { readBaseUrl, readNotify, readSecretUrl, readToken } from '../action/inputs/services.ts'
import { type InputName, inputs } from '../action/inputs/table.ts'
import type { Problem } from '../action/problem.ts'
import type { RecordType } from '../action/record-type.ts'
import { tokenLink } from '../action/records/record.ts'
import type { Cidr } from '../lib/ip-address.ts'
import { misspelledSettings } from '../lib/near-names.ts'
import { parsePort } from '../lib/port.ts'
import { quote } from '../lib/quote.ts'
import type { FullReading } from '../lib/reading.ts'
import { redactTokenShapes } from '../lib/redact.ts'
import { parseTrustedProxy } from '../lib/trusted-proxies.ts'
import { readHosts } from './hosts.ts'

/** What a setting is besides its value. */
export interface Row {
  /** The text that stands for a missing or blank one. */
  readonly default?: string
  /** What to do if it is missing. A setting without it is optional. */
  readonly fix?: string
  /** What to do about a problem of a record that the setting can solve. */
  readonly advice?: string
  /** Whether it is never printed. On Node it can be in a file, which NAME_FILE names. */
  readonly secret?: true
  /** Whether only the entry for Node has it. */
  readonly only?: 'node'
}

/**
 * Every setting: an environment variable on Node, a binding of the Worker. One whose name is that of an input of the action
 * means the same. `npm run format` writes the rows and their comments into docs/router-reference.md.
 */
export const table = {
  /** a [token](../README.md#create-a-token) with DNS edit on this zone only */
  API_TOKEN: { fix: `Create a token with ${tokenLink} and select this zone only.`, secret: true },
  /** *Zone ID* on the overview page of the zone */
  ZONE_ID: {
    fix: 'Copy the zone ID from the overview page of the zone.',
    advice: 'Set ZONE_ID to the 32 hex digits shown as "Zone ID" on the overview page of the zone.',
  },
  /**
   * the names and the hashes of their passwords, one name a line: `home.example.com A,AAAA sha256:…`. `push add` prints the line. At
   * most two hashes a name, no wildcard, no public suffix
   */
  HOSTS: { fix: 'Create a line with `npm run push -- add HOSTNAME`.', secret: true },
  /** ranges that the addresses must be in, separated by commas. Any other address is refused */
  EXPECTED_CIDR: { advice: 'If your provider did, add the range to EXPECTED_CIDR.' },
  /**
   * the last part of the IPv6 address of a host behind the router, such as `::1:2:3:4/64`. AAAA records get the prefix of the router’s
   * address, or `ip6lanprefix`, and this part
   */
  IPV6_SUFFIX: {},
  /**
   * a monitor, called with GET after a ping whose records are right. Only with one name in `HOSTS`: of several, a router can ping some
   * only, and the monitor would not notice which of them is silent
   */
  HEARTBEAT_URL: { secret: true },
  /** where a message goes when an address changed: https, or http on loopback */
  NOTIFY_URL: { secret: true },
  /** `text`, as ntfy takes it, or `json`, as Slack and Discord take it */
  NOTIFY_FORMAT: { default: inputs['notify-format'].default },
  /**
   * whether the parameter `password` is accepted. Only for clients without HTTP Basic, since logs can keep it: Cloudflare’s own has the
   * query of each request, unless you deploy with `wrangler.toml` or Pulumi, or turned its *Invocation logs* off
   */
  QUERY_PASSWORDS: { default: 'false' },
  /** whether passwords are accepted over http, where everybody on the way can read them */
  PLAIN_HTTP: { default: 'false' },
  /** the root of the DNS API */
  BASE_URL: { default: inputs['base-url'].default, advice: 'Check BASE_URL.' },
  /**
   * addresses or ranges of the proxies in front, separated by commas, such as `127.0.0.1`. Their `X-Forwarded-For` and
   * `X-Forwarded-Proto` are believed
   */
  TRUSTED_PROXIES: { only: 'node' },
  /** the address to listen on. Let a proxy in front handle TLS */
  HOST: { default: '127.0.0.1', only: 'node' },
  /** the port to listen on. The sign-in handler’s default is the same: on one machine, change one of them */
  PORT: { default: '8080', only: 'node' },
} as const satisfies Readonly<Record<string, Row>>

export type SettingName = keyof typeof table

/** Every row with its name, without the exact types. */
export const rows: readonly (readonly [SettingName, Row])[] = Object.entries(table) as [SettingName, Row][]

/** Returns the setting that means the same as an input of the action. */
const settingOf = (input: string): string => input.toUpperCase().replaceAll('-', '_')

/** Returns a problem of a record in the words of the endpoint, safe to print. */
export function wordProblem({ message, setting }: Problem): string {
  const advice = setting && rows.find(([name]) => name === settingOf(setting))?.[1].advice
  return advice === undefined ? message : `${message} ${advice}`
}

/** The endpoint's validated settings. */
export type PushSettings = ReturnType<typeof readValues>

/** Every setting, or every problem at once, in sentences that repeat no secret. */
export type SettingsReading = FullReading<PushSettings>

/** Names of settings that are never printed. */
export const secretNames: readonly string[] = rows.flatMap(([name, { secret }]) => (secret ? [name] : []))

/**
 * Reads every setting.
 * @param variables environment variables of a process, or bindings of a Worker, where JSON can be `true` or a number
 */
export function readSettings(variables: Readonly<Record<string, unknown>>): SettingsReading {
  const textOf = (name: string) => {
    const given = variables[name] ?? ''
    return typeof given === 'string' ? given.trim() : String(JSON.stringify(given))
  }
  const missing = rows.filter(([name, { fix }]) => fix !== undefined && textOf(name) === '')
  const problems = missing.map(([name, { fix }]) => `${name} is missing. ${fix}`)
  const isMissing = (name: string) => missing.some(([other]) => other === name)
  const defaults = new Map<string, string | undefined>(rows.map(([name, row]) => [name, row.default]))
  const text = (name: string) => textOf(settingOf(name)) || (defaults.get(settingOf(name)) ?? '')
  const value = readValues({
    text,
    lines: name =>
      text(name)
        .split(/[\s,]+/)
        .filter(Boolean),
    addProblem(name, message) {
      if (!isMissing(settingOf(name))) problems.push(redactTokenShapes(`${settingOf(name)} ${message}`))
    },
  })
  const misspelled = misspelledSettings(Object.keys(variables), {
    names: [...rows.map(([name]) => name), ...secretNames.map(name => `${name}_FILE`)],
    isSet: name => textOf(name) !== '',
    isSecret: name => secretNames.includes(name),
  })
  for (const { name, meant } of misspelled)
    problems.push(`${name} is not a setting, and ${meant} is not set. Use ${meant}.`)
  return problems.length > 0 ? { problems } : { value }
}

/** Reads every value. What is wrong is a problem of the reader, and a placeholder here. */
function readValues(read: Reader<InputName | SettingName>) {
  const reading = readHosts(read.text('HOSTS'))
  if ('problem' in reading) read.addProblem('HOSTS', reading.problem)
  const hosts = 'value' in reading ? reading.value : []
  const types = (['A', 'AAAA'] as const).filter(type => hosts.some(host => host.types.includes(type)))
  const zoneId = read.text('zone-id').toLowerCase()
  checkZoneId(read, 'zone-id', zoneId)
  const expectedCidrs = readCidrs(read, 'expected-cidr')
  checkExpectedTypes(read, expectedCidrs, types)
  const port = parsePort(read.text('PORT'))
  if (port === null) read.addProblem('PORT', 'is not a number from 0 to 65535.')
  return {
    apiToken: readToken(read, ''),
    zoneId,
    hosts,
    expectedCidrs,
    ipv6Suffix: readSuffix(read, types),
    heartbeatUrl: readHeartbeatUrl(read, hosts.length),
    notify: readNotify(read),
    queryPasswords: readBoolean(read, 'QUERY_PASSWORDS'),
    plainHttp: readBoolean(read, 'PLAIN_HTTP'),
    baseUrl: readBaseUrl(read),
    trustedProxies: readProxies(read),
    host: read.text('HOST'),
    port: port ?? 0,
  }
}

/** Reads the URL of the monitor; null without one. A ping can name some of several names only. */
function readHeartbeatUrl(read: Reader, names: number): string | null {
  const url = readSecretUrl(read, 'heartbeat-url')
  if (url !== null && names > 1)
    read.addProblem(
      'heartbeat-url',
      `is for one name, and HOSTS has ${names}: the monitor would not notice that one of them is silent. Remove it, or serve one name.`,
    )
  return url
}

/** Reads the one host part; null without one. */
function readSuffix(read: Reader, types: readonly RecordType[]): Ipv6Suffix | null {
  const text = read.text('ipv6-suffix')
  if (text === '') return null
  if (types.join() === 'A') read.addProblem('ipv6-suffix', 'needs a host of type AAAA.')
  const suffix = parseSuffix(text)
  if ('value' in suffix) return suffix.value
  read.addProblem('ipv6-suffix', `${quote(text)} ${suffix.problem}.`)
  return null
}

/** Reads the addresses and ranges of proxies. */
function readProxies(read: Reader<SettingName>): readonly Cidr[] {
  return readItems(read, 'TRUSTED_PROXIES', text => {
    const reading = parseTrustedProxy(text)
    return 'value' in reading ? reading : { problem: `${quote(text)} ${reading.problem}.` }
  })
}
