import { parseIpv6 } from '../../lib/ip-address.ts'
import { ipv6Network, rangeOf } from '../../lib/ip-range.ts'

/** Parses a prefix of 1 to `maxBits` bits, and returns the network of `maxBits` that it starts; null for any other text. */
export function parseIpv6Prefix(text: string, maxBits: number): string | null {
  const [, start = '', length = ''] = /^([^/]*)\/(\d{1,2})$/.exec(text) ?? []
  const address = parseIpv6(start)
  const bits = Number(length)
  return address !== null && bits > 0 && bits <= maxBits ? ipv6Network(address, maxBits) : null
}

/**
 * Ranges that are never the public address of a host: IANA's IPv6 special-purpose registry (RFC 6890 and its updates, as
 * of 2025), multicast and the former site-local range. The narrower range of two comes first. AS112, AMT and the
 * translation prefix are globally reachable but no host's own; 2002::/16 and 2001::/32 are relayed over IPv4.
 */
const specialPurpose: readonly (readonly [network: string, prefix: number, what: string])[] = [
  ['::', 128, 'unspecified (RFC 4291)'],
  ['::1', 128, 'loopback (RFC 4291)'],
  ['::ffff:0.0.0.0', 96, 'a mapped IPv4 address (RFC 4291)'],
  ['64:ff9b::', 96, 'IPv4 translation (RFC 6052)'],
  ['64:ff9b:1::', 48, 'local-use IPv4 translation (RFC 8215)'],
  ['100::', 64, 'discard-only (RFC 6666)'],
  ['100:0:0:1::', 64, 'the dummy prefix (RFC 9780)'],
  ['2001::', 32, 'Teredo tunnelling (RFC 4380)'],
  ['2001:2::', 48, 'benchmarking (RFC 5180)'],
  ['2001:3::', 32, 'AMT anycast (RFC 7450)'],
  ['2001:4:112::', 48, 'AS112 anycast (RFC 7535)'],
  ['2001:10::', 28, 'former ORCHID identifiers (RFC 4843)'],
  ['2001:20::', 28, 'ORCHIDv2 identifiers (RFC 7343)'],
  ['2001:30::', 28, 'drone identifiers (RFC 9374)'],
  ['2001::', 23, 'protocol assignments (RFC 2928)'],
  ['2001:db8::', 32, 'documentation (RFC 3849)'],
  ['2002::', 16, '6to4 tunnelling (RFC 3056)'],
  ['2620:4f:8000::', 48, 'AS112 anycast (RFC 7534)'],
  ['3fff::', 20, 'documentation (RFC 9637)'],
  ['5f00::', 16, 'segment routing (RFC 9602)'],
  ['fc00::', 7, 'unique local, private (RFC 4193)'],
  ['fe80::', 10, 'link-local (RFC 4291)'],
  ['fec0::', 10, 'former site-local (RFC 3879)'],
  ['ff00::', 8, 'multicast (RFC 4291)'],
]

const specialPurposeRanges = specialPurpose.map(([network, prefix, what]) => ({
  range: rangeOf(network, prefix, 6),
  what,
}))

/** The only block from which IANA assigns public unicast addresses (IPv6 address space registry). */
const globalUnicast = rangeOf('2000::', 3, 6)

/** Returns why the address cannot be a host's public address, with the range and its RFC; null if it can be. */
export function ipv6SpecialPurposeOf(address: string): string | null {
  const found = specialPurposeRanges.find(({ range }) => range.contains(address))
  if (found) return `${found.what}, in ${found.range.text}`
  return globalUnicast.contains(address) ? null : `outside ${globalUnicast.text}, global unicast (RFC 4291)`
}

/**
 * The ranges of the DNS service's proxy, as in ipv4.ts. Source: https://www.cloudflare.com/ips-v6 (7 ranges, from
 * published copies of 2026-11).
 */
const cloudflareRanges = [
  ['2400:cb00::', 32],
  ['2405:8100::', 32],
  ['2405:b500::', 32],
  ['2606:4700::', 32],
  ['2803:f800::', 32],
  ['2a06:98c0::', 29],
  ['2c0f:f248::', 32],
] as const

const cloudflareCidrs = cloudflareRanges.map(([network, prefix]) => rangeOf(network, prefix, 6))

/** Returns the range of Cloudflare's proxy that contains the address, as text; null if none does. */
export function ipv6CloudflareRangeOf(address: string): string | null {
  return cloudflareCidrs.find(range => range.contains(address))?.text ?? null
}
