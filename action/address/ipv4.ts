import { rangeOf } from '../../lib/ip-range.ts'

/**
 * Ranges that are never the public address of a host: IANA's IPv4 special-purpose registry (RFC 6890 and its updates),
 * multicast (RFC 5771) and the reserved class E. 192.31.196/24, 192.52.193/24, 192.175.48/24 and 192.88.99/24 are or
 * were globally reachable, but as anycast services, so they identify no host.
 */
const specialPurpose: readonly (readonly [network: string, prefix: number, what: string])[] = [
  ['0.0.0.0', 8, '"this network" (RFC 791)'],
  ['10.0.0.0', 8, 'private (RFC 1918)'],
  ['100.64.0.0', 10, 'carrier-grade NAT, shared by customers of a provider (RFC 6598)'],
  ['127.0.0.0', 8, 'loopback (RFC 1122)'],
  ['169.254.0.0', 16, 'link-local (RFC 3927)'],
  ['172.16.0.0', 12, 'private (RFC 1918)'],
  ['192.0.0.0', 24, 'protocol assignments (RFC 6890)'],
  ['192.0.2.0', 24, 'documentation (RFC 5737)'],
  ['192.31.196.0', 24, 'AS112 anycast (RFC 7535)'],
  ['192.52.193.0', 24, 'AMT anycast (RFC 7450)'],
  ['192.88.99.0', 24, 'deprecated 6to4 relay anycast (RFC 7526)'],
  ['192.168.0.0', 16, 'private (RFC 1918)'],
  ['192.175.48.0', 24, 'AS112 anycast (RFC 7534)'],
  ['198.18.0.0', 15, 'benchmarking (RFC 2544)'],
  ['198.51.100.0', 24, 'documentation (RFC 5737)'],
  ['203.0.113.0', 24, 'documentation (RFC 5737)'],
  ['224.0.0.0', 4, 'multicast (RFC 5771)'],
  ['240.0.0.0', 4, 'reserved or broadcast (RFC 1112, RFC 919)'],
]

const specialPurposeRanges = specialPurpose.map(([network, prefix, what]) => ({
  range: rangeOf(network, prefix, 4),
  what,
}))

/** Returns why the address cannot be a host's public address, with the range and its RFC; null if it can be. */
export function specialPurposeOf(address: string): string | null {
  const found = specialPurposeRanges.find(({ range }) => range.contains(address))
  return found ? `${found.what}, in ${found.range.text}` : null
}

/**
 * The ranges of the DNS service's proxy. An echo that returns one of them saw the proxy instead of the host. Source:
 * https://www.cloudflare.com/ips-v4 (15 ranges, from published copies of 2024-06-25). They are embedded because fetching
 * them would add a request, and a way to fail, to every run. Other Cloudflare addresses, such as WARP exits
 * (104.28.0.0/16) and 1.1.1.1, are caught only by `expected-cidr`.
 */
const cloudflareRanges = [
  ['103.21.244.0', 22],
  ['103.22.200.0', 22],
  ['103.31.4.0', 22],
  ['104.16.0.0', 13],
  ['104.24.0.0', 14],
  ['108.162.192.0', 18],
  ['131.0.72.0', 22],
  ['141.101.64.0', 18],
  ['162.158.0.0', 15],
  ['172.64.0.0', 13],
  ['173.245.48.0', 20],
  ['188.114.96.0', 20],
  ['190.93.240.0', 20],
  ['197.234.240.0', 22],
  ['198.41.128.0', 17],
] as const

const cloudflareCidrs = cloudflareRanges.map(([network, prefix]) => rangeOf(network, prefix, 4))

/** Returns the range of Cloudflare's proxy that contains the address, as text; null if none does. */
export function cloudflareRangeOf(address: string): string | null {
  return cloudflareCidrs.find(range => range.contains(address))?.text ?? null
}
