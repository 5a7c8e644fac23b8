import { isIpv4, isIpv6 } from '../../lib/ip-address.ts'
import { canonicalHostname, maxLabelCharacters } from '../../lib/url.ts'
import type { RecordRules, Target } from '../records/record.ts'
import { quote } from '../text/quote.ts'
import type { NameServer, Verify } from '../verify.ts'
import { type Reader, readBoolean, readChoice } from './reader.ts'

const maxHostnames = 1000

/** Reads `hostname` and `zone-id`: the names to update, each with its zone if that is given. */
export function readTargets(read: Reader): readonly Target[] {
  const defaultZone = read.text('zone-id') || null
  if (defaultZone !== null) checkZoneId(read, 'zone-id', defaultZone)
  const lines = read.lines('hostname')
  if (lines.length === 0) {
    read.addProblem(
      'hostname',
      'is empty. Enter a fully qualified name, such as home.example.com, one per line.',
    )
  }
  if (lines.length > maxHostnames) {
    read.addProblem('hostname', `lists ${lines.length} names. The limit is ${maxHostnames}.`)
    return []
  }
  const targets = lines.flatMap(line => readTarget(read, line, defaultZone))
  const seen = new Set<string>()
  for (const { hostname } of targets) {
    if (seen.has(hostname)) read.addProblem('hostname', `lists ${hostname} twice. Remove one of the lines.`)
    seen.add(hostname)
  }
  return targets
}

/** Reads a line: a name, and its zone ID if it has one of its own. */
function readTarget(read: Reader, line: string, defaultZone: string | null): readonly Target[] {
  const [name = '', ownZone, ...rest] = line.split(/\s+/)
  const hostname = canonicalHostname(name)
  const long = name.split('.').find(label => label.length > maxLabelCharacters)
  if (long !== undefined) {
    read.addProblem(
      'hostname',
      `${quote(name)} has a label of ${long.length} characters. The limit is ${maxLabelCharacters}.`,
    )
  } else if (!hostname) {
    read.addProblem(
      'hostname',
      `${quote(name)} is not a fully qualified name. Write it like home.example.com, without https://, port or path.`,
    )
  }
  if (rest.length > 0) {
    read.addProblem(
      'hostname',
      `${quote(line)} has more than a name and a zone ID. Put each name on a line of its own.`,
    )
  } else if (ownZone !== undefined) {
    checkZoneId(read, `hostname ${quote(name)}: its zone ID`, ownZone)
  }
  return hostname ? [{ hostname, zoneId: (ownZone ?? defaultZone)?.toLowerCase() ?? null }] : []
}

/** Reports an ID that no zone has. `what` is the input it is in. */
export function checkZoneId(read: Reader, what: string, id: string): void {
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
    proxied: readBoolean(read, 'proxied'),
    onDrift: readChoice(read, 'on-drift', ['warn', 'repair']),
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
  const by = readChoice(read, 'verify', ['response', 'dns'])
  const lines = read.lines('name-servers')
  const addProblem = (message: string) => read.addProblem('name-servers', message)
  if (by === 'response') {
    if (lines.length > 0) addProblem('is only used with verify: dns. Set that, or remove name-servers.')
    return { by }
  }
  if (lines.length > maxServers) {
    addProblem(`lists ${lines.length} name servers. The limit is ${maxServers}.`)
    return { by, servers: [] }
  }
  const servers = new Map<string, NameServer>()
  for (const line of lines) {
    const server = parseServer(line)
    if (!server) {
      addProblem(
        `${quote(line)} is not a name server. Write host or host:port, such as ns1.example.net or [2001:db8::1]:53.`,
      )
    } else if (servers.has(`${server.host} ${server.port}`)) {
      addProblem(`lists ${quote(line)} twice. Remove one of the lines.`)
    } else {
      servers.set(`${server.host} ${server.port}`, server)
    }
  }
  return { by, servers: [...servers.values()] }
}

/** Parses a host name or an address, with or without a port. An IPv6 address is in brackets if a port follows. */
function parseServer(text: string): NameServer | null {
  if (isIpv6(text)) return { name: text, host: text, port: dnsPort }
  const [, inBrackets, plain = '', digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const ipv6 = inBrackets !== undefined && isIpv6(inBrackets) ? inBrackets : null
  const host = ipv6 ?? (isIpv4(plain) ? plain : canonicalHostname(plain))
  const port = Number(digits ?? dnsPort)
  if (!host || port < 1 || port > maxPort) return null
  const shown = ipv6 ? `[${host}]` : host
  return { name: port === dnsPort ? host : `${shown}:${port}`, host, port }
}
