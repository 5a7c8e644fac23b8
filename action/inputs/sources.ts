import { canonicalHostname } from '../../lib/hostname.ts'
import { hasCredentials, parseSafeUrl } from '../../lib/url.ts'
import { answersFor } from '../address/resolver.ts'
import type { VotingSource } from '../address/source.ts'
import type { Reading } from '../problem.ts'
import type { Target } from '../records/record.ts'
import { quote } from '../text/quote.ts'
import type { Reader } from './reader.ts'
import { defaultDohResolvers } from './table.ts'

const maxSources = 10
const minResolvers = 2
const maxResolvers = 4
const tracePath = '/cdn-cgi/trace'

/** Reads the lines of `address-sources`: URLs of echo services, `dns:NAME` and `interface:NAME`. */
export function readSources(
  read: Reader,
  lines: readonly string[],
  targets: readonly Target[],
  resolvers: readonly string[],
): readonly VotingSource[] {
  if (lines.length > maxSources) {
    read.addProblem('address-sources', `lists ${lines.length} sources. The limit is ${maxSources}.`)
    return []
  }
  const managed = targets.map(({ hostname }) => hostname)
  const sources = lines.flatMap(line => {
    const source = readSource(line, resolvers, managed)
    if ('value' in source) return source.value
    read.addProblem('address-sources', source.problem)
    return []
  })
  for (const [index, { name }] of sources.entries()) {
    if (sources.findIndex(other => other.name === name) < index) {
      read.addProblem('address-sources', `lists ${name} twice. A source has one vote: remove one of them.`)
    }
  }
  return sources
}

/** Reads the source of one line. */
function readSource(
  line: string,
  resolvers: readonly string[],
  managed: readonly string[],
): Reading<VotingSource, string> {
  const [, scheme, rest = ''] = /^(dns|interface):(.*)$/i.exec(line) ?? []
  if (scheme?.toLowerCase() === 'dns') return readDnsSource(rest.trim(), resolvers, managed)
  if (scheme) {
    const device = rest.trim()
    return /^[^\s/]+(?: [^\s/]+)*$/.test(device)
      ? { value: { kind: 'interface', name: `interface:${device}`, device } }
      : { problem: `${quote(line)} names no interface. Write it like interface:eth0.` }
  }
  const url = parseSafeUrl(line)
  if (!url) {
    return {
      problem: `${quote(line)} is not an https URL. Use https (http only on loopback), one URL per line.`,
    }
  }
  if (hasCredentials(url)) {
    return {
      problem: `has a user name or password in the URL for ${quote(url.host)}. Remove it: an echo service needs none.`,
    }
  }
  return {
    value: {
      kind: 'echo',
      // A trailing dot does not make it another host (RFC 1034 section 3.1).
      name: url.host.replace(/\.(?=:|$)/, ''),
      url: url.href,
      form: url.pathname === tracePath ? 'trace' : 'text',
    },
  }
}

function readDnsSource(
  text: string,
  resolvers: readonly string[],
  managed: readonly string[],
): Reading<VotingSource, string> {
  const hostname = canonicalHostname(text)
  if (!hostname || hostname.startsWith('*')) {
    return { problem: `${quote(`dns:${text}`)} names no host. Write it like dns:router.example.net.` }
  }
  const own = managed.find(target => answersFor(target, hostname))
  if (own) {
    const how =
      own === hostname ? 'which this run writes' : `which the record ${own} of this run may answer for`
    return {
      problem: `asks for ${hostname}, ${how}, so it would confirm whatever is there. Name another host.`,
    }
  }
  return { value: { kind: 'dns', name: `dns:${hostname}`, hostname, resolvers, managed } }
}

/** Reads `doh-resolvers`. A single one could be wrong or out of date, and nothing would notice. */
export function readResolvers(read: Reader): readonly string[] {
  const lines = read.lines('doh-resolvers')
  if (lines.length === 0) return defaultDohResolvers
  const urls = lines.flatMap(line => {
    const url = parseSafeUrl(line)
    if (url && !hasCredentials(url)) return [url.href]
    read.addProblem(
      'doh-resolvers',
      `${quote(url?.host ?? line)} is not valid. Use https URLs without a user name or password, one per line.`,
    )
    return []
  })
  const distinct = new Set(urls).size
  if (
    urls.length === lines.length &&
    (distinct < minResolvers || distinct > maxResolvers || distinct < urls.length)
  ) {
    read.addProblem(
      'doh-resolvers',
      `lists ${distinct} different resolvers in ${urls.length} lines. Use ${minResolvers} to ${maxResolvers}, run by ` +
        'different operators.',
    )
  }
  return urls
}
