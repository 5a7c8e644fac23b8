import { parseIpv6Prefix } from '../action/address/ipv6.ts'
import { type Ipv6Suffix, withSuffix } from '../action/address/suffix.ts'
import { canonicalHostname } from '../action/hostname.ts'
import { parseIpv4, parseIpv6 } from '../action/ip-address.ts'
import type { Reading } from '../action/problem.ts'
import type { RecordType } from '../action/record-type.ts'

/** The two paths of dyndns2 clients. Some versions of UniFi write a double slash. */
export const updatePaths: readonly string[] = ['/nic/update', '/v3/update']

/** As many as the service that defined the protocol took (Dyn, Remote Access API). */
const maxNames = 20
/** 20 of the longest names, and the other parameters. */
const maxFormBytes = 8192

/** Who sent a request. */
export interface Caller {
  /** In canonical form; null if it is unknown. */
  readonly address: string | null
  /** Whether nobody on the way could read the password. */
  readonly secure: boolean
}

/** The names that a request is about, in order. A name is null if it is no fully qualified hostname. */
export type Names = Reading<readonly (string | null)[], 'notfqdn' | 'numhost'>

/** The address for a type of record, or why it cannot be told; null if the type is left alone. */
type Address = Reading<string | null, string>
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
 * Reads the addresses of a request. Without any, the caller's own stands for its family. The prefix of a FRITZ!Box goes
 * before that of its own address: the two can differ.
 */
export function readAddresses(
  parameters: URLSearchParams,
  caller: string | null,
  suffix: Ipv6Suffix | null,
): Addresses {
  // An address by another name would be lost, and the caller's written in its place.
  const isStray = [...parameters.keys()].some(
    name =>
      !known.has(name) && valuesOf(parameters, name).some(text => isAddress(text.replace(/\/\d+$/, ''))),
  )
  if (isStray) return { A: { problem: stray }, AAAA: { problem: stray } }
  const myip = valuesOf(parameters, 'myip')
  const given = [...myip, ...valuesOf(parameters, 'myipv6')]
  const prefixes = valuesOf(parameters, 'ip6lanprefix')
  const texts = given.length > 0 || prefixes.length > 0 || caller === null ? given : [caller]
  const A = onlyOne(texts.map(parseIpv4), myip)
  const own = onlyOne(texts.map(parseIpv6), given)
  const lan = prefixes.length > 0 && parseIpv6Prefix(prefixes[0] ?? '', 64)
  if (lan === null) return { A, AAAA: { problem: badPrefix } }
  if (prefixes.length > 1) return { A, AAAA: { problem: several } }
  const network = lan || ('value' in own && own.value)
  return { A, AAAA: suffix && network ? { value: withSuffix(network, suffix) } : own }
}

/** The parameters that are read, and those of the protocol that are not. */
const known: ReadonlySet<string> = new Set(
  'hostname myip myipv6 ip6lanprefix username password system wildcard mx backmx'.split(' '),
)
const stray = 'An address is in an unknown parameter. Use myip, myipv6 or ip6lanprefix.'
const several = 'There are several addresses of one family.'
const badPrefix = 'ip6lanprefix is not a prefix of 64 bits or fewer, such as 2001:db8:1:2::/64.'

function isAddress(text: string): boolean {
  return (parseIpv4(text) ?? parseIpv6(text)) !== null
}

/** Returns the one address of a family, or null. A text that cannot be read could have been of this family. */
function onlyOne(addresses: readonly (string | null)[], texts: readonly string[]): Address {
  if (!texts.every(isAddress)) return { problem: 'An address cannot be read.' }
  const [value = null, ...others] = new Set(addresses.filter(address => address !== null))
  return others.length > 0 ? { problem: several } : { value }
}

/** Returns the values of a parameter. One that is empty, or a placeholder that a router left unfilled, is a missing one. */
function valuesOf(parameters: URLSearchParams, name: string): readonly string[] {
  return parameters
    .getAll(name)
    .flatMap(text => text.split(','))
    .map(text => text.trim())
    .filter(text => text !== '' && !text.includes('<'))
}
