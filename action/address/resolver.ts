import { canonicalHostname } from '../../lib/hostname.ts'
import {
  type DnsAnswer,
  type DnsQuestion,
  type DnsResponse,
  decodeResponse,
  encodeQuery,
} from '../dns-message.ts'
import type { Reading } from '../problem.ts'
import type { RecordType } from '../record-type.ts'
import { quote } from '../text/quote.ts'
import { refusalOf } from './echo.ts'
import type { Vote } from './quorum.ts'
import type { DnsSource, Send } from './source.ts'

/** An address, and how a resolver arrived at it. */
interface Resolved {
  readonly address: string
  /** Seconds for which it can be out of date. */
  readonly ttl: number
  readonly aliases: readonly string[]
}

/** What one resolver returned: an address, or why it has none, with those that it could not choose from. Safe to print. */
type Resolution =
  | { readonly value: Resolved }
  | { readonly problem: string; readonly candidates?: readonly string[] }
  | { readonly problem: string; readonly fix: string }

/** A response, or why there is none and, for a certificate that is not trusted, what to do. */
type Queried = Reading<DnsResponse, string> | { readonly problem: string; readonly fix: string }

const mediaType = 'application/dns-message'
/** An answer has a few hundred bytes; no name server sends more than this over UDP. */
const maxMessageBytes = 4096
/** Longer than any chain in use. */
const maxAliases = 8

const refusals: Readonly<Record<string, string>> = {
  SERVFAIL: 'could not resolve the name (SERVFAIL)',
  NXDOMAIN: 'knows no such name (NXDOMAIN)',
}

/**
 * Asks every resolver for the address of another hostname. The vote counts if all of them return one address, the same by
 * `keyOf`. A name that leads to a record of this run has no vote, since it would confirm whatever that record holds.
 */
export async function askDns(
  source: DnsSource,
  type: RecordType,
  send: Send,
  keyOf: (address: string) => string,
): Promise<Vote> {
  const resolutions = await Promise.all(
    source.resolvers.map(url => resolve(source, type, name => query(url, name, type, send), keyOf)),
  )
  const said = resolutions
    .map((resolution, index) => `${new URL(source.resolvers[index] ?? '').host}: ${describe(resolution)}`)
    .join(', ')
  const found = resolutions.flatMap(resolution => ('value' in resolution ? resolution.value.address : []))
  const addresses = new Map(found.map(address => [keyOf(address), address]))
  const [address] = addresses.values()
  if (address !== undefined && addresses.size === 1 && found.length === resolutions.length) {
    return { source: source.name, value: address, note: said }
  }
  const candidates = resolutions.flatMap(resolution =>
    'value' in resolution
      ? resolution.value.address
      : 'candidates' in resolution
        ? (resolution.candidates ?? [])
        : [],
  )
  return {
    source: source.name,
    problem: addresses.size > 1 ? `the resolvers differ: ${said}` : said,
    ...(candidates.length > 1 ? { candidates } : {}),
    ...resolutions.flatMap(resolution => ('fix' in resolution ? { fix: resolution.fix } : []))[0],
  }
}

/** Follows aliases to a single address. Resolvers return whole chains; a missing link is asked for. */
async function resolve(
  { hostname, managed }: DnsSource,
  type: RecordType,
  ask: (name: string) => Promise<Queried>,
  keyOf: (address: string) => string,
): Promise<Resolution> {
  const aliases: string[] = []
  let ttl = Number.POSITIVE_INFINITY
  let answers: readonly DnsAnswer[] = []
  let asked: string | null = null
  for (let name = hostname; ; ) {
    const own = answers.filter(answer => answer.name === name)
    ttl = Math.min(ttl, ...own.map(answer => answer.ttl))
    const found = own.filter(answer => answer.type === type)
    const addresses = [...new Map(found.map(({ data }) => [keyOf(data), data])).values()]
    const [address] = addresses
    if (address !== undefined && addresses.length === 1) return { value: { address, ttl, aliases } }
    if (addresses.length > 1) {
      return {
        problem: `${addresses.length} addresses (${addresses.join(', ')})`,
        candidates: addresses,
      }
    }
    const alias = own.find(answer => answer.type === 'CNAME')
    if (alias) {
      name = alias.data
      aliases.push(name)
      const confirming = managed.find(target => answersFor(target, name))
      if (confirming) return { problem: `leads to ${confirming}, which this run writes` }
      if (aliases.length > maxAliases) return { problem: `leads through more than ${maxAliases} aliases` }
      continue
    }
    if (asked === name) return { problem: `no ${type} record of ${quote(name)}` }
    const response = await ask(name)
    if ('problem' in response) return response
    answers = response.value.answers
    asked = name
  }
}

/** Returns whether a record of the first name may answer for the second: the same name, or below a wildcard. */
export function answersFor(managed: string, name: string): boolean {
  return managed === name || (managed.startsWith('*.') && name.endsWith(managed.slice(1)))
}

async function query(url: string, name: string, type: RecordType, send: Send): Promise<Queried> {
  if (canonicalHostname(name) !== name) return { problem: `leads to ${quote(name)}, which is not a hostname` }
  const question: DnsQuestion = { id: 0, name, type, recursionDesired: true }
  // A POST is not answered from an HTTP cache. Every byte of the question is ASCII, so it survives as text.
  const answer = await send({
    method: 'POST',
    url,
    headers: { Accept: mediaType, 'Content-Type': mediaType },
    body: Buffer.from(encodeQuery(question)).toString('latin1'),
    encoding: 'latin1',
    maxBytes: maxMessageBytes,
  })
  if (answer.kind === 'failure') return refusalOf(answer)
  if (answer.status !== 200) return { problem: `returned ${answer.status} instead of 200` }
  if (answer.contentType !== mediaType) return { problem: `returned a content type other than ${mediaType}` }
  const response = decodeResponse(Buffer.from(answer.body, 'latin1'), question)
  if (!response || response.truncated) return { problem: 'returned a malformed DNS message' }
  const { rcode } = response
  return rcode === 'NOERROR' ? { value: response } : { problem: refusals[rcode] ?? `returned ${rcode}` }
}

/** Includes the time to live: for that long, a resolver may return an address that has changed since. */
function describe(resolution: Resolution): string {
  if ('problem' in resolution) return resolution.problem
  const { address, ttl, aliases } = resolution.value
  const via = aliases.length === 0 ? '' : ` via ${aliases.map(quote).join(', ')}`
  return `${address}${via}, cached for up to ${ttl} s`
}
