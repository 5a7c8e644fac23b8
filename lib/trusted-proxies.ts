import { type Cidr, ipv6Network, parseCidr, parseIpv4, parseIpv6 } from './ip-address.ts'
import type { Reading } from './reading.ts'

/** Maximum entries of X-Forwarded-For to read, from the right. No real chain of proxies is longer. */
const maxHops = 20

/** Shortest prefixes of private networks: 10.0.0.0/8 and fc00::/7. Wider ranges would trust strangers' headers. */
const minPrefixes = { 4: 8, 6: 7 } as const

/** Parses a proxy's address or range. A problem continues the quoted text, without a full stop. */
export function parseTrustedProxy(text: string): Reading<Cidr> {
  const range = parseIpv4(text) ? `${text}/32` : parseIpv6(text) ? `${text}/128` : text
  const reading = parseCidr(range)
  if ('problem' in reading) return reading
  const minPrefix = minPrefixes[reading.value.family]
  if (reading.value.prefix >= minPrefix) return reading
  return { problem: `trusts more than a private network (/${minPrefix}). List only your proxies` }
}

/** Returns whether a request comes straight from a trusted proxy. */
export function isTrustedPeer(peer: string | undefined, trusted: readonly Cidr[]): boolean {
  const address = parseHop(peer ?? '')
  return address !== null && trusted.some(range => range.contains(address))
}

/**
 * Returns the address of a request's client: the peer's or, behind trusted proxies, the rightmost untrusted one in
 * X-Forwarded-For, since a client can write everything to its left. If all are trusted, it is the leftmost. Null if it is
 * unknown.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: readonly Cidr[],
): string | null {
  if (!isTrustedPeer(peer, trusted)) return parseHop(peer ?? '')
  const hops = (forwardedFor ?? '').split(',').slice(-maxHops).reverse().map(parseHop)
  const client = hops.find(hop => hop === null || !trusted.some(range => range.contains(hop)))
  return client === undefined ? (hops.at(-1) ?? null) : client
}

/** Parses an address as a socket or a proxy writes it: IPv4 can be mapped, and a zone or a port can follow. */
function parseHop(text: string): string | null {
  const [, bracketed, bare] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text.trim()) ?? []
  const [address = ''] = (bracketed ?? bare ?? text.trim()).split('%', 1)
  return (parseIpv4(address) ?? parseIpv6(address))?.replace(/^::ffff:(?=[\d.]+$)/, '') ?? null
}

/** Returns the network to limit requests by: an IPv4 address itself, or the /64 of an IPv6 address. No subscriber has less. */
export function networkOf(address: string): string {
  return address.includes(':') ? `${ipv6Network(address, 64)}/64` : address
}
