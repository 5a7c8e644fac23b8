import { canonicalHostname } from '../../lib/hostname.ts'
import { isObject, parseObject } from '../../lib/json.ts'
import { quote } from '../../lib/quote.ts'
import type { RecordType } from '../../lib/record-type.ts'
import { families } from '../record-type.ts'
import { refusalOf, type Send } from './echo.ts'
import type { Answer, NoVote } from './quorum.ts'

/** Another hostname, whose address is used. */
export interface DnsSource {
  readonly kind: 'dns'
  /** As it is reported: `dns:router.example.net`. */
  readonly name: string
  /** Canonical. */
  readonly hostname: string
  /** Names of the records that this run writes, canonical. */
  readonly managed: readonly string[]
}

/**
 * DNS resolvers over HTTPS of two operators (Cloudflare, Google) that answer with JSON. Both must give the same address: one alone
 * could be wrong or out of date, and nothing would notice.
 */
export const resolvers = ['https://cloudflare-dns.com/dns-query', 'https://dns.google/resolve'] as const

/** A record of an answer. Others than these types are left out. */
interface DnsAnswer {
  readonly name: string
  readonly type: RecordType | 'CNAME'
  /** Seconds. */
  readonly ttl: number
  /** A canonical address, or a name. */
  readonly data: string
}

/** The answers to a question, or why there are none. */
type Queried = { readonly value: readonly DnsAnswer[] } | NoVote

/** The types that matter, by their numbers (RFC 1035 section 3.2.2, RFC 3596). */
const types = new Map<unknown, DnsAnswer['type']>([
  [1, 'A'],
  [5, 'CNAME'],
  [28, 'AAAA'],
])

/** Cloudflare's resolver answers with the first, Google's with the second (developers.google.com/speed/public-dns/docs/doh/json). */
const mediaTypes = ['application/dns-json', 'application/json']
/** An answer has a few hundred bytes. */
const maxBodyBytes = 16 * 1024
/** Longer than any chain in use. */
const maxAliases = 8
/** RFC 2181 section 8. */
const maxTtl = 0x7fff_ffff

/** The error codes that resolvers return (RFC 1035 section 4.1.1), and what each says about a name. */
const refusals: Readonly<Record<number, string>> = {
  1: 'returned FORMERR',
  2: 'could not resolve the name (SERVFAIL)',
  3: 'knows no such name (NXDOMAIN)',
  4: 'returned NOTIMP',
  5: 'returned REFUSED',
}

/**
 * Asks both resolvers for the address of another hostname. The vote counts if both return one address, the same by
 * `keyOf`. A name that leads to a record of this run has no vote, since it would confirm whatever that record holds.
 */
export async function askDns(
  source: DnsSource,
  type: RecordType,
  send: Send,
  keyOf: (address: string) => string,
): Promise<Answer> {
  const resolutions = await Promise.all(
    resolvers.map(async url => ({
      host: new URL(url).host,
      ...(await resolve(source, type, name => query(url, name, type, send), keyOf)),
    })),
  )
  const said = resolutions
    .map(found => `${found.host}: ${'value' in found ? found.note : found.problem}`)
    .join(', ')
  const found = resolutions.flatMap(resolution => ('value' in resolution ? resolution.value : []))
  const addresses = new Map(found.map(address => [keyOf(address), address]))
  const [address] = addresses.values()
  if (address !== undefined && addresses.size === 1 && found.length === resolutions.length) {
    return { value: address, note: said }
  }
  const candidates = resolutions.flatMap(resolution =>
    'value' in resolution ? resolution.value : (resolution.candidates ?? []),
  )
  const isBlocked = resolutions.some(resolution => 'problem' in resolution && resolution.isUnusable)
  const advice = isBlocked ? '; if this network blocks DNS over HTTPS, use another address source' : ''
  return {
    problem: addresses.size > 1 ? `the resolvers differ: ${said}` : `${said}${advice}`,
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
): Promise<Answer> {
  const aliases: string[] = []
  let ttl = Number.POSITIVE_INFINITY
  let answers: readonly DnsAnswer[] = []
  let asked: string | null = null
  for (let name = hostname; ; ) {
    const atName = answers.filter(answer => answer.name === name)
    ttl = Math.min(ttl, ...atName.map(answer => answer.ttl))
    const found = atName.filter(answer => answer.type === type)
    const addresses = [...new Map(found.map(({ data }) => [keyOf(data), data])).values()]
    const [address] = addresses
    if (address !== undefined && addresses.length === 1) {
      const via = aliases.length === 0 ? '' : ` via ${aliases.map(quote).join(', ')}`
      // For that long, a resolver may return an address that has changed since.
      return { value: address, note: `${address}${via}, cached for up to ${ttl} s` }
    }
    if (addresses.length > 1) {
      return {
        problem: `${addresses.length} addresses (${addresses.join(', ')})`,
        candidates: addresses,
      }
    }
    const alias = atName.find(answer => answer.type === 'CNAME')
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
    answers = response.value
    asked = name
  }
}

/** Returns whether a record of the first name may answer for the second: the same name, or below a wildcard. */
export function answersFor(managed: string, name: string): boolean {
  return managed === name || (managed.startsWith('*.') && name.endsWith(managed.slice(1)))
}

async function query(url: string, name: string, type: RecordType, send: Send): Promise<Queried> {
  if (canonicalHostname(name) !== name) return { problem: `leads to ${quote(name)}, which is not a hostname` }
  const question = new URL(url)
  question.searchParams.set('name', name)
  question.searchParams.set('type', type)
  const answer = await send({
    method: 'GET',
    url: question.href,
    // An HTTP cache on the way could return an address for longer than its ttl.
    headers: { Accept: mediaTypes.join(', '), 'Cache-Control': 'no-cache' },
    maxBytes: maxBodyBytes,
  })
  const unusable = (problem: string): NoVote => ({ problem, isUnusable: true })
  if (answer.kind === 'failure') return { ...refusalOf(answer), isUnusable: true }
  if (answer.status !== 200) return unusable(`returned ${answer.status} instead of 200`)
  if (!mediaTypes.includes(answer.contentType)) return unusable('did not return JSON')
  return readAnswer(answer.body, name, type) ?? unusable('returned malformed JSON')
}

/**
 * Reads an answer in the JSON of Cloudflare's and Google's resolvers. Returns null for anything else: another question, an
 * answer that was truncated, or a field of another form.
 */
function readAnswer(body: string, name: string, type: RecordType): Queried | null {
  const answer = parseObject(body) ?? {}
  const { Status: status, TC: truncated, Question: questions, Answer: records = [] } = answer
  const [question, ...others] = Array.isArray(questions) ? questions : []
  if (typeof status !== 'number' || truncated !== false || !isObject(question) || others.length > 0)
    return null
  if (nameIn(question['name']) !== name || types.get(question['type']) !== type) return null
  if (status !== 0) return { problem: refusals[status] ?? `returned the error code ${status}` }
  if (!Array.isArray(records)) return null
  const answers = records.map(readRecord)
  return answers.includes(null) ? null : { value: answers.flatMap(read => read ?? []) }
}

/** Reads a record of an answer; none if its type does not matter, null if it is malformed. */
function readRecord(value: unknown): readonly DnsAnswer[] | null {
  if (!isObject(value)) return null
  const { TTL: ttl } = value
  const type = types.get(value['type'])
  const name = nameIn(value['name'])
  if (name === null || typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl < 0 || ttl > maxTtl)
    return null
  if (type === undefined) return []
  const data = type === 'CNAME' ? nameIn(value['data']) : families[type].parse(String(value['data']))
  return data === null ? null : [{ name, type, ttl, data }]
}

/** Returns a name in lower case without its final dot, or null if it is not text. */
function nameIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.toLowerCase().replace(/\.$/, '') : null
}
