import { canonicalHostname } from '../../lib/hostname.ts'
import { type Cidr, isIpv4, parseCidr } from '../../lib/ip-address.ts'
import { type Ipv6Suffix, parseSuffix } from '../../lib/ipv6-suffix.ts'
import { quote } from '../../lib/quote.ts'
import type { FullReading, Reading } from '../../lib/reading.ts'
import { type RecordType, sortTypes } from '../../lib/record-type.ts'
import { list, readRecordTypes, refuse } from '../../lib/settings/readers.ts'
import { hasCredentials, parseSafeUrl } from '../../lib/url.ts'
import type { VotingSource } from '../address/detect.ts'
import type { EchoSource } from '../address/echo.ts'
import { answersFor } from '../address/resolver.ts'
import { families } from '../record-type.ts'
import type { Target } from '../records/record.ts'
import { setting } from '../setting-names.ts'

/** What separates entries that can have blanks. */
export const linesOrCommas = /[\n,]/

/** Values of earlier rows that readers need. One is missing if its row was refused. */
interface Earlier {
  readonly targets?: readonly Target[]
  readonly types?: readonly RecordType[]
  readonly expectedCidrs?: readonly Cidr[]
  /** Empty if none is given. */
  readonly givenAddresses?: ReadonlyMap<RecordType, string>
}

/** Reads `record-type`: A first, then AAAA. */
export function readTypes(text: string): FullReading<readonly RecordType[]> {
  const reading = readRecordTypes(text)
  return 'value' in reading ? { value: sortTypes(reading.value) } : reading
}

/** Reads `expected-cidr`. Refuses ranges that would refuse all addresses of a type. */
export function readExpectedCidrs(text: string, { types = [] }: Earlier): FullReading<readonly Cidr[]> {
  const reading = list(parseCidr)(text)
  if ('problems' in reading || reading.value.length === 0) return reading
  const problems = [...new Set(types)].flatMap(type => {
    const { version } = families[type]
    if (reading.value.some(({ family }) => family === version)) return []
    return [`lists no IPv${version} range for ${type} records. Add one.`]
  })
  return problems.length > 0 ? { problems } : reading
}

/** Reads `address`: none, or one for each type. */
export function readGiven(text: string, { types }: Earlier): FullReading<ReadonlyMap<RecordType, string>> {
  const lines = text.split(linesOrCommas).flatMap(line => line.trim() || [])
  if (lines.length === 0) return { value: new Map() }
  // The row of `record-type` has reported its problem.
  if (!types) return { problems: [] }
  const addresses = types.flatMap(type => {
    const [address, ...others] = lines.flatMap(line => families[type].parse(line) ?? [])
    return address !== undefined && others.length === 0 ? [[type, address] as const] : []
  })
  if (lines.length === types.length && addresses.length === types.length) return { value: new Map(addresses) }
  const wanted = types.map(
    type => `one IPv${families[type].version} address, such as ${families[type].example}`,
  )
  return refuse(`is ${quote(lines.join(' '))}. Enter ${wanted.join(', and on a line of its own ')}.`)
}

/**
 * Echo services of three operators for each family, which return the bare address: ipify, Amazon (IPv4) or deSEC (IPv6),
 * and Cloudflare.
 */
export const defaultEchoUrls = {
  A: ['https://api4.ipify.org', 'https://checkip.amazonaws.com', 'https://ipv4.icanhazip.com'],
  AAAA: ['https://api6.ipify.org', 'https://checkipv6.dedyn.io', 'https://ipv6.icanhazip.com'],
} as const

const maxSources = 10

/**
 * Reads `address-sources`, for each type; none if the address is given. Echo services that would be asked through a proxy are refused:
 * they see its address instead of this host's. With `expected-cidr` a wrong address is refused later.
 * @param proxyOf returns the proxy of a URL, or null
 */
export function readSources(
  text: string,
  {
    targets = [],
    types = ['A'],
    expectedCidrs,
    givenAddresses,
    proxyOf,
  }: Earlier & { readonly proxyOf: (url: string) => string | null },
): FullReading<ReadonlyMap<RecordType, readonly VotingSource[]>> {
  if (givenAddresses?.size !== 0) {
    return text === ''
      ? { value: new Map() }
      : refuse(`cannot be combined with ${setting('address')}. Remove one of them.`)
  }
  const managed = targets.map(({ hostname }) => hostname)
  const reading = list(line => parseSource(line, managed), {
    separator: linesOrCommas,
    max: maxSources,
    keyOf: ({ name }) => name,
  })(text)
  if ('problems' in reading) return reading
  const sourcesFor = (type: RecordType) =>
    reading.value.length === 0
      ? defaultEchoUrls[type].map(url => echoSource(new URL(url)))
      : reading.value.filter(source => isReachable(source, type))
  const sources = new Map(types.map(type => [type, sourcesFor(type)]))
  const problems = types
    .filter(type => sources.get(type)?.length === 0)
    .map(
      type =>
        `lists no source for ${type} records: none of its URLs can be reached over IPv${families[type].version}.`,
    )
  const proxied = [...sources].flatMap(([type, ofType]) => {
    const isGuarded = expectedCidrs?.some(({ family }) => family === families[type].version) ?? true
    return ofType.flatMap(source =>
      !isGuarded && source.kind === 'echo' && proxyOf(source.url) !== null ? source.name : [],
    )
  })
  if (proxied.length > 0) {
    problems.push(
      'would be asked through https_proxy, so echo services would return the address of the proxy. Add them to no_proxy ' +
        `(${[...new Set(proxied)].join(',')}), or set ${setting('expected-cidr')} to the ranges of your own address.`,
    )
  }
  return problems.length > 0 ? { problems } : { value: sources }
}

/** A URL with an address for its host serves one family; every other source serves both. */
function isReachable(source: VotingSource, type: RecordType): boolean {
  if (source.kind !== 'echo') return true
  const { hostname } = new URL(source.url)
  if (hostname.startsWith('[')) return type === 'AAAA'
  return type === 'A' || !isIpv4(hostname)
}

/** Parses a source: the URL of an echo service without credentials, `dns:NAME` or `interface:NAME`. */
function parseSource(line: string, managed: readonly string[]): Reading<VotingSource> {
  const [, scheme, rest = ''] = /^(dns|interface):(.*)$/i.exec(line) ?? []
  const name = rest.trim()
  if (scheme?.toLowerCase() === 'dns') return parseDnsSource(name, managed)
  if (scheme) {
    return /^[^\s/]+(?: [^\s/]+)*$/.test(name)
      ? { value: { kind: 'interface', name: `interface:${name}`, device: name } }
      : { problem: 'names no interface. Write it like interface:eth0' }
  }
  const url = parseSafeUrl(line)
  return url && !hasCredentials(url)
    ? { value: echoSource(url) }
    : {
        problem:
          'is not an https URL without user name or password. Use https (http only on loopback), one URL per line',
      }
}

const tracePath = '/cdn-cgi/trace'

function echoSource({ host, href, pathname }: URL): EchoSource {
  // A trailing dot does not make it another host (RFC 1034 section 3.1).
  const name = host.replace(/\.(?=:|$)/, '')
  return { kind: 'echo', name, url: href, form: pathname === tracePath ? 'trace' : 'text' }
}

function parseDnsSource(text: string, managed: readonly string[]): Reading<VotingSource> {
  const hostname = canonicalHostname(text)
  if (!hostname || hostname.startsWith('*'))
    return { problem: 'names no host. Write it like dns:router.example.net' }
  const writing = managed.find(target => answersFor(target, hostname))
  if (writing === undefined) return { value: { kind: 'dns', name: `dns:${hostname}`, hostname, managed } }
  const how = writing === hostname ? 'this run writes' : `the record ${writing} of this run may answer for`
  return {
    problem: `asks for a name that ${how}, so it would confirm whatever is there. Name another host`,
  }
}

/** Reads `ipv6-suffix`: one host part for all hostnames, or a hostname and its host part per line. */
export function readSuffixes(
  text: string,
  { targets, types }: Earlier,
): FullReading<ReadonlyMap<string, Ipv6Suffix>> {
  const problems: string[] = []
  if (text !== '' && types?.includes('AAAA') === false)
    problems.push(`needs ${setting('record-type')} AAAA or A,AAAA.`)
  const reading = list(line => parseNamedSuffix(line, targets), {
    separator: linesOrCommas,
    keyOf: ([name]) => name ?? 'a host part for all names',
  })(text)
  if ('problems' in reading) return { problems: [...problems, ...reading.problems] }
  const parts = new Map(reading.value)
  const suffixes = new Map<string, Ipv6Suffix>()
  for (const { hostname } of parts.size > 0 ? (targets ?? []) : []) {
    const suffix = parts.get(hostname) ?? parts.get(null)
    if (suffix) suffixes.set(hostname, suffix)
    else
      problems.push(
        `has no host part for ${hostname}. Add a line for it, or one without a name for all others.`,
      )
  }
  return problems.length > 0 ? { problems } : { value: suffixes }
}

/** Parses a line: a host part, for all names that have no line of their own, or a name and its host part. */
function parseNamedSuffix(
  line: string,
  targets: Earlier['targets'],
): Reading<readonly [name: string | null, suffix: Ipv6Suffix]> {
  const words = line.split(/\s+/)
  const suffix = parseSuffix(words.at(-1) ?? '')
  if ('problem' in suffix) return suffix
  const [name = ''] = words
  if (words.length === 1) return { value: [null, suffix.value] }
  const hostname = words.length === 2 ? (canonicalHostname(name) ?? name) : ''
  // A wrong hostname has its own problem.
  return !targets || targets.some(target => target.hostname === hostname)
    ? { value: [hostname, suffix.value] }
    : { problem: 'does not start with one of the hostnames' }
}
