import { canonicalHostname } from '../lib/hostname.ts'
import { bitsInIpv6, ipv6Network, parseIpv4, parseIpv6 } from '../lib/ip-address.ts'
import { type Ipv6Suffix, withSuffix } from '../lib/ipv6-suffix.ts'
import type { Reading } from '../lib/reading.ts'
import type { RecordType } from '../lib/record-type.ts'
import { networkBits } from './hosts.ts'

/** The two paths of dyndns2 clients. Some versions of UniFi write a double slash. */
export const updatePaths: readonly string[] = ['/nic/update', '/v3/update']

/** As many as the service that defined the protocol took (Dyn, Remote Access API). */
export const maxNames = 20
/** 20 of the longest names, and the other parameters. */
const maxFormBytes = 8192

/** Who sent a request. */
export interface Caller {
  /** In canonical form; null if it is unknown. */
  readonly address: string | null
  /** Whether nobody on the way could read the password. */
  readonly secure: boolean
}

/** Whether a router's network is the first /64 of the prefix that it sends. A FRITZ!Box says that it is one. */
export function hasFirstNetwork({ headers }: Request): boolean {
  return /^fritz!?box/i.test(headers.get('user-agent') ?? '')
}

/** The names that a request is about, in order. A name is null if it is not a fully qualified hostname. */
export type Names = Reading<readonly (string | null)[], 'notfqdn' | 'numhost'>

/** The address for a type of record, or why it cannot be told; null if the type is left alone. */
type Address = Reading<string | null>
export type Addresses = Readonly<Record<RecordType, Address>>

/** Returns the path without repeated slashes, and without one at its end. */
export function pathOf({ url }: Request): string {
  return new URL(url).pathname.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '')
}

/** Reads the parameters of the query, and of the form if the body is one. A form of unknown length is not read. */
export async function readParameters(request: Request): Promise<URLSearchParams> {
  const parameters = new URL(request.url).searchParams
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '')
  if (request.method !== 'POST' || !isForm || !(length <= maxFormBytes)) return parameters
  return new URLSearchParams([...parameters, ...new URLSearchParams(await request.text())])
}

/** Returns the password of a request, whatever its user name (RFC 7617); null without one that can be read. */
export function passwordOf(
  { headers }: Request,
  parameters: URLSearchParams,
  inQuery: boolean,
): string | null {
  const [, credentials = ''] = /^basic +([\w+/]+=*)$/i.exec(headers.get('authorization') ?? '') ?? []
  try {
    const [, ...password] = atob(credentials).split(':')
    if (password.length > 0) return password.join(':')
  } catch {
    // Not base64, so no credentials.
  }
  return inQuery ? parameters.get('password') : null
}

/** Reads the names of a request. */
export function readNames(parameters: URLSearchParams): Names {
  const names = valuesOf(parameters, 'hostname')
  if (names.length === 0) return { problem: 'notfqdn' }
  return names.length > maxNames ? { problem: 'numhost' } : { value: names.map(canonicalHostname) }
}

/**
 * Reads the addresses of a request for a name. Without any, the caller's own is used for its family, but never before a host
 * part: a router's address is often outside its network. What cannot be used holds back the records of its family.
 * @param network what is known of `ip6lanprefix`: whether the network is the first /64 of it, and whether any name has a host part
 */
export function readAddresses(
  parameters: URLSearchParams,
  caller: string | null,
  suffix: Ipv6Suffix | null = null,
  { isFirst = false, isUsed = false } = {},
): Addresses {
  const myip = valuesOf(parameters, 'myip')
  const myipv6 = valuesOf(parameters, 'myipv6')
  const [strayA, strayAAAA] = [strayOf(parameters, 'A'), strayOf(parameters, 'AAAA')]
  const given = [...myip, ...myipv6]
  const isGiven =
    [...given, ...valuesOf(parameters, 'ip6lanprefix')].length > 0 || (strayA ?? strayAAAA) !== null
  const texts = isGiven || caller === null ? given : [caller]
  const A = heldBack('A', myip, strayA) ?? onlyOne(texts.map(parseIpv4))
  const own = onlyOne((suffix ? given : texts).map(parseIpv6))
  const AAAA = heldBack('AAAA', given, strayAAAA) ?? ipv6Of(own, parameters, suffix, isFirst, isUsed)
  // Of a record without an address, the problem of the other one is the reason.
  return {
    A: isMissing(A) && 'problem' in AAAA ? AAAA : A,
    AAAA: isMissing(AAAA) && 'problem' in A ? A : AAAA,
  }
}

/** The parameters that are read, and those of the protocol that are not. */
const known: ReadonlySet<string> = new Set(
  'hostname myip myipv6 ip6lanprefix username password system wildcard mx backmx'.split(' '),
)
const several = 'There are several addresses of one family.'
const noSuffix = 'ip6lanprefix needs a host part in HOSTS, which no name has.'
const badPrefix = 'ip6lanprefix is not a prefix of 64 bits or fewer, such as 2001:db8:1:2::/64.'

/** Returns the name of another parameter with an address of a family, which would be lost, and the caller's written; null if none has. */
function strayOf(parameters: URLSearchParams, type: RecordType): string | null {
  const isOf = (text: string) => familyOf(text.replace(/\/\d+$/, '')) === type
  const names = [...new Set(parameters.keys())].filter(name => !known.has(name))
  return names.find(name => valuesOf(parameters, name).some(isOf)) ?? null
}

/** Returns why the records of a family wait; null if they need not. A text that cannot be read is for both, unless it has a colon. */
function heldBack(
  type: RecordType,
  given: readonly string[],
  stray: string | null,
): { readonly problem: string } | null {
  // Clients look for words in the answer, so it repeats no name that holds one, and of a value nothing but digits. A password is longer.
  if (stray !== null) {
    const isShown = /^(?!.*(good|nochg|ok|true|updated|success))[\w;-]{1,25}$/i.test(stray)
    const what = isShown ? `the unknown parameter "${stray}"` : 'an unknown parameter'
    return { problem: `An address is in ${what}. Use myip, myipv6 or ip6lanprefix.` }
  }
  const unread = given.find(text => familyOf(text) === null && (type === 'AAAA' || !text.includes(':')))
  if (unread === undefined) return null
  const isShown = /^[\da-f:./[\]]{1,60}$/i.test(unread)
  return { problem: `An address cannot be read${isShown ? `: "${unread}"` : ''}.` }
}

/** Returns the address of an AAAA record: one's own, or that of a host part behind a prefix of the request. */
function ipv6Of(
  own: Address,
  parameters: URLSearchParams,
  suffix: Ipv6Suffix | null,
  isFirst: boolean,
  isUsed: boolean,
): Address {
  const [text, ...others] = valuesOf(parameters, 'ip6lanprefix')
  const prefix = text === undefined ? null : parsePrefix(text, suffix ? bitsInIpv6 : networkBits)
  if (text !== undefined && prefix === null) return { problem: badPrefix }
  if (others.length > 0) return { problem: several }
  if (!suffix) return prefix && !isUsed && isMissing(own) ? { problem: noSuffix } : own
  if (prefix === null) {
    // An empty one says that the network has no prefix, and the router's address is often outside the network.
    if (parameters.has('ip6lanprefix')) return { value: null }
    return 'value' in own && own.value !== null ? { value: withSuffix(own.value, suffix) } : own
  }
  if (isFirst || prefix.bits >= suffix.prefixLength) return { value: withSuffix(prefix.network, suffix) }
  return {
    problem: `ip6lanprefix has ${prefix.bits} bits, and the host part of this name follows ${suffix.prefixLength}. Send the prefix of its network.`,
  }
}

/** Parses a prefix of at most this many bits. The other bits of the network are zero. */
function parsePrefix(text: string, maxBits: number) {
  const [, start = '', length = ''] = /^([^/]*)\/(\d{1,2}|1\d\d)$/.exec(text) ?? []
  const address = parseIpv6(start)
  const bits = Number(length)
  return address !== null && bits > 0 && bits <= maxBits
    ? { network: ipv6Network(address, bits), bits }
    : null
}

function isMissing(address: Address): boolean {
  return 'value' in address && address.value === null
}

function familyOf(text: string): RecordType | null {
  if (parseIpv4(text) !== null) return 'A'
  return parseIpv6(text) === null ? null : 'AAAA'
}

/** Returns the one address of a family, or null. */
function onlyOne(addresses: readonly (string | null)[]): Address {
  const [value = null, ...others] = new Set(addresses.filter(address => address !== null))
  return others.length > 0 ? { problem: several } : { value }
}

/** Returns the values of a parameter. An empty one, or a placeholder that a router left unfilled, counts as missing. */
function valuesOf(parameters: URLSearchParams, name: string): readonly string[] {
  return parameters
    .getAll(name)
    .flatMap(text => text.split(','))
    .map(text => text.trim())
    .filter(text => text !== '' && !text.includes('<'))
}
