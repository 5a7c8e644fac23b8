import { canonicalHostname, maxHostnames, maxLabelCharacters } from '../../lib/hostname.ts'
import { isIpv4, isIpv6 } from '../../lib/ip-address.ts'
import { parsePort } from '../../lib/port.ts'
import { quote } from '../../lib/quote.ts'
import type { FullReading, Reading } from '../../lib/reading.ts'
import { hexId, list, refuse } from '../../lib/settings/readers.ts'
import type { Target } from '../records/record.ts'
import { setting } from '../setting-names.ts'
import { dnsPort, type NameServer } from '../verify.ts'
import { linesOrCommas } from './addresses.ts'

const zonePage = 'the overview page of the zone'

/** Reads a zone ID. */
export const readZoneId = hexId(zonePage)

/** Reads `hostname`: the names to update, each with its zone if that is given. */
export function readTargets(
  text: string,
  { zoneId = null }: { readonly zoneId?: string | null },
): FullReading<readonly Target[]> {
  const reading = list(line => parseTarget(line, zoneId), {
    separator: linesOrCommas,
    max: maxHostnames,
    advice: 'Make the others CNAMEs to one of them, which need no update, or keep them in a second step.',
    keyOf: ({ hostname }) => hostname,
  })(text)
  return 'value' in reading && reading.value.length === 0
    ? refuse('is missing. Enter a fully qualified name, such as home.example.com, one per line.')
    : reading
}

/** Parses a line: a name, and its zone ID if it has one of its own. */
function parseTarget(line: string, commonZoneId: string | null): Reading<Target> {
  const [name = '', ownZone, ...rest] = line.split(/\s+/)
  const hostname = canonicalHostname(name)
  const zone = ownZone === undefined ? { value: commonZoneId } : readZoneId(ownZone)
  const long = name.split('.').find(label => label.length > maxLabelCharacters)
  if (rest.length > 0)
    return { problem: 'has more than a name and a zone ID. Put each name on a line of its own' }
  if (canonicalHostname(ownZone ?? '') !== null)
    return { problem: 'has two names. Put each on a line of its own' }
  if (long !== undefined)
    return { problem: `has a label of ${long.length} characters. The limit is ${maxLabelCharacters}` }
  if (hostname === null)
    return {
      problem:
        'does not start with a fully qualified name. Write it like home.example.com, without https://, port or path',
    }
  return 'value' in zone
    ? { value: { hostname, zoneId: zone.value } }
    : { problem: `does not end with a zone ID. Use the 32 hex digits from ${zonePage}` }
}

/** Reads `ttl`: 60 to 86,400 seconds, from 30 on the Enterprise plan, or 1 for automatic (source: Cloudflare's API reference). */
export function readTtl(text: string): FullReading<number> {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  return value === 1 || (value >= 30 && value <= 86_400)
    ? { value }
    : refuse(`is ${quote(text)}. Use 60 to 86400 seconds (from 30 on Enterprise plans), or 1 for automatic.`)
}

const maxServers = 20

/** Reads `name-servers`. */
export function readServers(
  text: string,
  { verify = 'dns' }: { readonly verify?: 'response' | 'dns' },
): FullReading<readonly NameServer[]> {
  return text !== '' && verify !== 'dns'
    ? refuse(`is only used with ${setting('verify', 'dns')}. Set that too, or remove it.`)
    : list(parseServer, { max: maxServers, keyOf: ({ name }) => name })(text)
}

/** Parses a host name or an address, with or without a port. An IPv6 address is in brackets if a port follows. */
function parseServer(text: string): Reading<NameServer> {
  if (isIpv6(text)) return { value: { name: text, host: text, port: dnsPort } }
  const [, inBrackets, plain = '', digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const ipv6 = inBrackets !== undefined && isIpv6(inBrackets) ? inBrackets : null
  const host = ipv6 ?? (isIpv4(plain) ? plain : canonicalHostname(plain))
  const port = digits === undefined ? dnsPort : parsePort(digits)
  if (!host || !port) {
    return {
      problem: 'is not a name server. Write host or host:port, such as ns1.example.net or [2001:db8::1]:53',
    }
  }
  const shown = ipv6 ? `[${host}]` : host
  return { value: { name: port === dnsPort ? host : `${shown}:${port}`, host, port } }
}
