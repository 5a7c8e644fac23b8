import { canonicalHostname } from '../../lib/hostname.ts'
import { type Cidr, isIpv4, parseCidr } from '../../lib/ip-address.ts'
import { quote } from '../../lib/quote.ts'
import type { Reading } from '../../lib/reading.ts'
import { type RecordType, sortTypes } from '../../lib/record-type.ts'
import { list, readRecordTypes } from '../../lib/settings/readers.ts'
import { hasCredentials, parseSafeUrl } from '../../lib/url.ts'
import type { AddressRules } from '../address/check.ts'
import type { AddressInputs, VotingSource } from '../address/detect.ts'
import { answersFor } from '../address/resolver.ts'
import { type Ipv6Suffix, parseSuffix } from '../address/suffix.ts'
import { families } from '../record-type.ts'
import type { Target } from '../records/record.ts'
import { setting } from '../text/setting.ts'
import { type Reader, readBoolean, readInput, readItems } from './reader.ts'
import { defaultEchoUrls } from './table.ts'

/** Reads how the address of each record type is learned: A first, then AAAA. */
export function readAddresses(read: Reader, targets: readonly Target[]): readonly AddressInputs[] {
  const types = sortTypes(readInput(read, 'record-type', readRecordTypes, ['A']))
  const suffixes = readSuffixes(read, targets, types)
  const managed = targets.map(({ hostname }) => hostname)
  const parse = (line: string) => readSource(line, managed)
  const readSources = (lines: readonly string[]) =>
    readItems(read, 'address-sources', parse, ({ name }) => name, maxSources, lines)
  const given = read.lines('address')
  if (given.length > 0 && read.text('address-sources') !== '') {
    read.addProblem('address', `cannot be combined with ${setting('address-sources')}. Remove one of them.`)
  }
  const addresses = given.length > 0 ? readGiven(read, given, types) : null
  const listed = addresses ? [] : read.lines('address-sources')
  const configured = listed.length > 0 ? readSources(listed) : null
  const sourcesFor = (type: RecordType) => {
    const sources = configured ?? readSources(defaultEchoUrls[type])
    const reachable = sources.filter(source => isReachable(source, type))
    if (sources.length > 0 && reachable.length === 0) {
      read.addProblem(
        'address-sources',
        `lists no source for ${type} records: none of its URLs can be reached over IPv${families[type].version}.`,
      )
    }
    return reachable
  }
  return types.map(type => ({
    type,
    source: addresses
      ? { kind: 'given', address: addresses.get(type) ?? '' }
      : { kind: 'asked', sources: sourcesFor(type) },
    suffixes: type === 'AAAA' ? suffixes : new Map(),
  }))
}

/** Reads `expected-cidr` and `allow-reserved-address`: which addresses a record may hold. */
export function readAddressRules(read: Reader): AddressRules {
  return {
    expectedCidrs: readInput(read, 'expected-cidr', list(parseCidr), []),
    allowReserved: readBoolean(read, 'allow-reserved-address'),
  }
}

function readGiven(
  read: Reader,
  lines: readonly string[],
  types: readonly RecordType[],
): ReadonlyMap<RecordType, string> {
  const parsed = types.map(type => lines.flatMap(line => families[type].parse(line) ?? []))
  if (lines.length === types.length && parsed.every(({ length }) => length === 1)) {
    return new Map(types.map((type, index) => [type, parsed[index]?.[0] ?? '']))
  }
  const wanted = types.map(
    type => `one IPv${families[type].version} address, such as ${families[type].example}`,
  )
  read.addProblem(
    'address',
    `is ${quote(lines.join(' '))}. Enter ${wanted.join(', and on a line of its own ')}.`,
  )
  return new Map()
}

/** A URL with an address for its host serves one family; every other source serves both. */
function isReachable(source: VotingSource, type: RecordType): boolean {
  if (source.kind !== 'echo') return true
  const { hostname } = new URL(source.url)
  if (hostname.startsWith('[')) return type === 'AAAA'
  return type === 'A' || !isIpv4(hostname)
}

const maxSources = 10
const tracePath = '/cdn-cgi/trace'

/** Reads a line of `address-sources`: the URL of an echo service, `dns:NAME` or `interface:NAME`. */
function readSource(line: string, managed: readonly string[]): Reading<VotingSource> {
  const [, scheme, rest = ''] = /^(dns|interface):(.*)$/i.exec(line) ?? []
  if (scheme?.toLowerCase() === 'dns') return readDnsSource(rest.trim(), managed)
  if (scheme) {
    const device = rest.trim()
    return /^[^\s/]+(?: [^\s/]+)*$/.test(device)
      ? { value: { kind: 'interface', name: `interface:${device}`, device } }
      : { problem: `${quote(line)} names no interface. Write it like interface:eth0.` }
  }
  const url = readUrl(line)
  if ('problem' in url) return url
  const { host, href, pathname } = url.value
  // A trailing dot does not make it another host (RFC 1034 section 3.1).
  const name = host.replace(/\.(?=:|$)/, '')
  return { value: { kind: 'echo', name, url: href, form: pathname === tracePath ? 'trace' : 'text' } }
}

/** Reads the URL of a service that needs no credentials. */
function readUrl(line: string): Reading<URL> {
  const url = parseSafeUrl(line)
  if (url && !hasCredentials(url)) return { value: url }
  const problem = `${quote(line)} is not an https URL without user name or password. Use https (http only on loopback), one URL per line.`
  return { problem }
}

function readDnsSource(text: string, managed: readonly string[]): Reading<VotingSource> {
  const hostname = canonicalHostname(text)
  if (!hostname || hostname.startsWith('*')) {
    return { problem: `${quote(`dns:${text}`)} names no host. Write it like dns:router.example.net.` }
  }
  const writing = managed.find(target => answersFor(target, hostname))
  if (writing) {
    const how =
      writing === hostname
        ? 'which this run writes'
        : `which the record ${writing} of this run may answer for`
    return {
      problem: `asks for ${hostname}, ${how}, so it would confirm whatever is there. Name another host.`,
    }
  }
  return { value: { kind: 'dns', name: `dns:${hostname}`, hostname, managed } }
}

/** Reads `ipv6-suffix`: one host part for all hostnames, or a hostname and its host part per line. */
function readSuffixes(
  read: Reader,
  targets: readonly Target[],
  types: readonly RecordType[],
): ReadonlyMap<string, Ipv6Suffix> {
  const suffixes = new Map<string, Ipv6Suffix>()
  const lines = read.lines('ipv6-suffix')
  const addProblem = (message: string) => read.addProblem('ipv6-suffix', message)
  if (lines.length > 0 && !types.includes('AAAA'))
    addProblem(`needs ${setting('record-type')} AAAA or A,AAAA.`)
  // A wrong hostname has its own problem.
  const areKnown = targets.length === read.lines('hostname').length
  let common: Ipv6Suffix | null = null
  for (const line of lines) {
    const words = line.split(/\s+/)
    const suffix = parseSuffix(words.at(-1) ?? '')
    const hostname = words.length === 2 ? canonicalHostname(words[0] ?? '') : null
    const named = targets.some(target => target.hostname === hostname)
    if ('problem' in suffix) addProblem(`${quote(line)} ${suffix.problem}.`)
    else if (words.length === 1 && common === null) common = suffix.value
    else if (words.length === 1)
      addProblem('has several host parts without a name. Put a hostname before each.')
    else if (!areKnown) continue
    else if (!hostname || !named) addProblem(`${quote(line)} does not start with one of the hostnames.`)
    else if (suffixes.has(hostname)) addProblem(`lists ${hostname} twice.`)
    else suffixes.set(hostname, suffix.value)
  }
  for (const { hostname } of lines.length > 0 && areKnown ? targets : []) {
    const suffix = suffixes.get(hostname) ?? common
    if (suffix) suffixes.set(hostname, suffix)
    else
      addProblem(`has no host part for ${hostname}. Add a line for it, or one without a name for all others.`)
  }
  return suffixes
}

/** Says which record types no range of `expected-cidr` can hold, which would refuse all their addresses. */
export function missingFamilies(
  expectedCidrs: readonly Cidr[],
  types: readonly RecordType[],
): readonly string[] {
  return [...new Set(expectedCidrs.length > 0 ? types : [])].flatMap(type => {
    const { version } = families[type]
    if (expectedCidrs.some(({ family }) => family === version)) return []
    return [`lists no IPv${version} range for ${type} records. Add one.`]
  })
}

/**
 * Reports echo services that would be asked through a proxy: they see its address instead of this host's. With
 * `expected-cidr` a wrong address is refused later. `proxyOf` returns the proxy of a URL, or null.
 */
export function checkProxiedEchoes(
  read: Reader,
  addresses: readonly AddressInputs[],
  { expectedCidrs }: AddressRules,
  proxyOf: (url: string) => string | null,
): void {
  const proxied = addresses.flatMap(({ type, source }) => {
    const guarded = expectedCidrs.some(range => range.family === families[type].version)
    const sources = source.kind === 'given' || guarded ? [] : source.sources
    return sources.flatMap(voter => (voter.kind === 'echo' && proxyOf(voter.url) !== null ? voter.name : []))
  })
  if (proxied.length === 0) return
  read.addProblem(
    'address-sources',
    'would be asked through https_proxy, so echo services would return the address of the proxy. Add them to no_proxy ' +
      `(${[...new Set(proxied)].join(',')}), or set ${setting('expected-cidr')} to the ranges of your own address.`,
  )
}
