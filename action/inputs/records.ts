import { canonicalHostname, maxHostnames, maxLabelCharacters } from '../../lib/hostname.ts'
import { isIpv4, isIpv6 } from '../../lib/ip-address.ts'
import { quote } from '../../lib/quote.ts'
import type { Reading } from '../../lib/reading.ts'
import { choice } from '../../lib/settings/readers.ts'
import type { RecordRules, Target } from '../records/record.ts'
import { setting } from '../text/setting.ts'
import type { NameServer, Verify } from '../verify.ts'
import { type Reader, readBoolean, readInput, readItems } from './reader.ts'
import { rows } from './table.ts'

/** Reads `hostname` and `zone-id`: the names to update, each with its zone if that is given. */
export function readTargets(read: Reader): readonly Target[] {
  const defaultZone = read.text('zone-id') || null
  if (defaultZone !== null) checkZoneId(read, 'zone-id', defaultZone)
  if (read.lines('hostname').length === 0) {
    read.addProblem(
      'hostname',
      'is empty. Enter a fully qualified name, such as home.example.com, one per line.',
    )
  }
  const { length } = read.lines('hostname')
  if (length > maxHostnames) {
    const advice =
      'Make the others CNAMEs to one of them, which need no update, or keep them in a second step.'
    read.addProblem('hostname', `lists ${length} names. The limit is ${maxHostnames}. ${advice}`)
    return []
  }
  const parse = (line: string) => readTarget(read, line, defaultZone)
  return readItems(read, 'hostname', parse, ({ hostname }) => hostname)
}

/** Reads a line: a name, and its zone ID if it has one of its own. */
function readTarget(read: Reader, line: string, defaultZone: string | null): Reading<Target> {
  const [name = '', ownZone, ...rest] = line.split(/\s+/)
  if (rest.length > 0) {
    const message = `${quote(line)} has more than a name and a zone ID. Put each name on a line of its own.`
    read.addProblem('hostname', message)
  } else if (ownZone !== undefined) {
    checkZoneId(read, `${setting('hostname')} ${quote(name)}: its zone ID`, ownZone)
  }
  const long = name.split('.').find(label => label.length > maxLabelCharacters)
  if (long !== undefined) {
    return {
      problem: `${quote(name)} has a label of ${long.length} characters. The limit is ${maxLabelCharacters}.`,
    }
  }
  const hostname = canonicalHostname(name)
  if (hostname) return { value: { hostname, zoneId: (ownZone ?? defaultZone)?.toLowerCase() ?? null } }
  return {
    problem: `${quote(name)} is not a fully qualified name. Write it like home.example.com, without https://, port or path.`,
  }
}

/** Reports an ID that no zone has. `what` is the input it is in. */
function checkZoneId(read: Reader, what: string, id: string): void {
  if (/^[0-9a-f]{32}$/i.test(id)) return
  const found = id.includes('.') ? ', which is a name' : ''
  read.addProblem(
    what,
    `is ${quote(id)}${found}. Use the 32 hex digits shown as "Zone ID" on the overview page of the zone.`,
  )
}

/** Reads `ttl`, `proxied`, `on-drift` and `create`. */
export function readRecordRules(read: Reader): RecordRules {
  return {
    ttl: readTtl(read),
    proxied: read.text('proxied') === '' ? null : readBoolean(read, 'proxied'),
    onDrift: readInput(read, 'on-drift', choice(...rows['on-drift'].choices), 'warn'),
    create: readBoolean(read, 'create'),
  }
}

/** 60 to 86,400 seconds, from 30 on the Enterprise plan, or 1 for automatic (source: the DNS service's API reference). */
function readTtl(read: Reader): number {
  const text = read.text('ttl')
  const ttl = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (ttl !== 1 && (ttl < 30 || ttl > 86_400)) {
    read.addProblem(
      'ttl',
      `is ${quote(text)}. Use 60 to 86400 seconds (from 30 on Enterprise plans), or 1 for automatic.`,
    )
  }
  return ttl
}

const maxServers = 20
const dnsPort = 53
const maxPort = 65_535

/** Reads `verify` and `name-servers`. */
export function readVerify(read: Reader): Verify {
  const by = readInput(read, 'verify', choice(...rows.verify.choices), 'response')
  if (by === 'dns') return { by, servers: readItems(read, 'name-servers', parseServer, nameOf, maxServers) }
  if (read.lines('name-servers').length > 0) {
    read.addProblem(
      'name-servers',
      `is only used with ${setting('verify', 'dns')}. Set that too, or remove it.`,
    )
  }
  return { by }
}

const nameOf = ({ name }: NameServer) => name

/** Parses a host name or an address, with or without a port. An IPv6 address is in brackets if a port follows. */
function parseServer(text: string): Reading<NameServer> {
  if (isIpv6(text)) return { value: { name: text, host: text, port: dnsPort } }
  const [, inBrackets, plain = '', digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const ipv6 = inBrackets !== undefined && isIpv6(inBrackets) ? inBrackets : null
  const host = ipv6 ?? (isIpv4(plain) ? plain : canonicalHostname(plain))
  const port = Number(digits ?? dnsPort)
  if (!host || port < 1 || port > maxPort) {
    return {
      problem: `${quote(text)} is not a name server. Write host or host:port, such as ns1.example.net or [2001:db8::1]:53.`,
    }
  }
  const shown = ipv6 ? `[${host}]` : host
  return { value: { name: port === dnsPort ? host : `${shown}:${port}`, host, port } }
}
