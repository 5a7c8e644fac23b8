import { type Cidr, ipv6Bits, rangeOf } from '../../lib/ip-address.ts'
import type { Problem, ProblemSetting, Reason } from '../problem.ts'

/** Which addresses a record may hold. */
export interface AddressRules {
  /** Ranges of either family. Empty allows any range. */
  readonly expectedCidrs: readonly Cidr[]
  /** Permits private, documentation and other special-purpose addresses. */
  readonly allowReserved: boolean
  /** Whether a host part replaces that of the address, so that only its prefix is judged. */
  readonly isPrefix?: boolean
}

/** Returns why no record may hold this address, or null if one may. */
export function checkAddress(address: string, rules: AddressRules): Problem | null {
  const refuse = (reason: Reason, setting: ProblemSetting, why: string): Problem => ({
    reason,
    message: `${address} ${why}`,
    setting,
  })
  const special = specialPurposeOf(address)
  if (special && !rules.allowReserved) {
    const why = `is not a public address: ${special}. It cannot be reached from the internet. Ask your provider for one that can.`
    return refuse('address-not-public', 'allow-reserved-address', why)
  }
  if (!rules.isPrefix && !rules.allowReserved && hasZeroHost(address)) {
    const why =
      'has a host part of zero, which means any router of its subnet and no host (RFC 4291 section 2.6.1). ' +
      'Check where it comes from.'
    return refuse('address-not-public', 'allow-reserved-address', why)
  }
  const cloudflare = cloudflareRanges.find(range => range.contains(address))
  if (cloudflare) {
    const why =
      `is in ${cloudflare.text}, a range of Cloudflare's proxy, so it does not belong to this host. Look for a proxy or VPN ` +
      'between the host and the internet.'
    return refuse('address-unexpected', 'address', why)
  }
  if (rules.expectedCidrs.length > 0 && !rules.expectedCidrs.some(range => range.contains(address))) {
    const ranges = rules.expectedCidrs.map(range => range.text).join(', ')
    const why =
      `is outside the expected ranges (${ranges}). If your provider did not move you to another range, it is the address ` +
      'of another network.'
    return refuse('address-unexpected', 'expected-cidr', why)
  }
  return null
}

/** Global unicast addresses end in a host part of 64 bits (RFC 4291 section 2.5.4). */
function hasZeroHost(address: string): boolean {
  return address.includes(':') && BigInt.asUintN(64, ipv6Bits(address)) === 0n
}

/** Returns the range of a text such as `10.0.0.0/8`. An IPv6 address has a colon. */
function rangeIn(text: string): Cidr {
  const [network = '', prefix] = text.split('/')
  return rangeOf(network, Number(prefix), network.includes(':') ? 6 : 4)
}

/**
 * Ranges that are never the public address of a host: IANA's special-purpose registries (RFC 6890 and its updates; IPv6 as
 * of 2025), multicast, class E and the former site-local range. The narrower range of two comes first. AS112, AMT, the 6to4
 * relays (all anycast) and the translation prefix are or were globally reachable, but are no host's own; 2002::/16 and
 * 2001::/32 are relayed over IPv4.
 */
const specialPurposeRanges = (
  [
    ['0.0.0.0/8', '"this network" (RFC 791)'],
    ['10.0.0.0/8', 'private (RFC 1918)'],
    ['100.64.0.0/10', 'carrier-grade NAT, shared by customers of a provider (RFC 6598)'],
    ['127.0.0.0/8', 'loopback (RFC 1122)'],
    ['169.254.0.0/16', 'link-local (RFC 3927)'],
    ['172.16.0.0/12', 'private (RFC 1918)'],
    ['192.0.0.0/24', 'protocol assignments (RFC 6890)'],
    ['192.0.2.0/24', 'documentation (RFC 5737)'],
    ['192.31.196.0/24', 'AS112 anycast (RFC 7535)'],
    ['192.52.193.0/24', 'AMT anycast (RFC 7450)'],
    ['192.88.99.0/24', 'deprecated 6to4 relay anycast (RFC 7526)'],
    ['192.168.0.0/16', 'private (RFC 1918)'],
    ['192.175.48.0/24', 'AS112 anycast (RFC 7534)'],
    ['198.18.0.0/15', 'benchmarking (RFC 2544)'],
    ['198.51.100.0/24', 'documentation (RFC 5737)'],
    ['203.0.113.0/24', 'documentation (RFC 5737)'],
    ['224.0.0.0/4', 'multicast (RFC 5771)'],
    ['240.0.0.0/4', 'reserved or broadcast (RFC 1112, RFC 919)'],
    ['::/128', 'unspecified (RFC 4291)'],
    ['::1/128', 'loopback (RFC 4291)'],
    ['::ffff:0.0.0.0/96', 'a mapped IPv4 address (RFC 4291)'],
    ['64:ff9b::/96', 'IPv4 translation (RFC 6052)'],
    ['64:ff9b:1::/48', 'local-use IPv4 translation (RFC 8215)'],
    ['100::/64', 'discard-only (RFC 6666)'],
    ['100:0:0:1::/64', 'the dummy prefix (RFC 9780)'],
    ['2001::/32', 'Teredo tunnelling (RFC 4380)'],
    ['2001:2::/48', 'benchmarking (RFC 5180)'],
    ['2001:3::/32', 'AMT anycast (RFC 7450)'],
    ['2001:4:112::/48', 'AS112 anycast (RFC 7535)'],
    ['2001:10::/28', 'former ORCHID identifiers (RFC 4843)'],
    ['2001:20::/28', 'ORCHIDv2 identifiers (RFC 7343)'],
    ['2001:30::/28', 'drone identifiers (RFC 9374)'],
    ['2001::/23', 'protocol assignments (RFC 2928)'],
    ['2001:db8::/32', 'documentation (RFC 3849)'],
    ['2002::/16', '6to4 tunnelling (RFC 3056)'],
    ['2620:4f:8000::/48', 'AS112 anycast (RFC 7534)'],
    ['3fff::/20', 'documentation (RFC 9637)'],
    ['5f00::/16', 'segment routing (RFC 9602)'],
    ['fc00::/7', 'unique local, private (RFC 4193)'],
    ['fe80::/10', 'link-local (RFC 4291)'],
    ['fec0::/10', 'former site-local (RFC 3879)'],
    ['ff00::/8', 'multicast (RFC 4291)'],
  ] as const
).map(([range, what]) => ({ range: rangeIn(range), what }))

/** The only block from which IANA assigns public unicast addresses (IPv6 address space registry). */
const globalUnicast = rangeIn('2000::/3')

/** Returns why the address cannot be a host's public address, with the range and its RFC; null if it can be. */
export function specialPurposeOf(address: string): string | null {
  const found = specialPurposeRanges.find(({ range }) => range.contains(address))
  if (found) return `${found.what}, in ${found.range.text}`
  const isUnicast = !address.includes(':') || globalUnicast.contains(address)
  return isUnicast ? null : `outside ${globalUnicast.text}, global unicast (RFC 4291)`
}

/**
 * The ranges of Cloudflare's proxy. An echo that returns one of them saw the proxy instead of the host. Source:
 * https://www.cloudflare.com/ips-v4 (15 ranges, from published copies of 2024-06-25) and ips-v6 (7 ranges, of 2026-11). They are
 * embedded because fetching them would add a request, and a way to fail, to every run. Other Cloudflare addresses, such as
 * WARP exits (104.28.0.0/16) and 1.1.1.1, are caught only by `expected-cidr`.
 */
const cloudflareRanges = [
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '108.162.192.0/18',
  '131.0.72.0/22',
  '141.101.64.0/18',
  '162.158.0.0/15',
  '172.64.0.0/13',
  '173.245.48.0/20',
  '188.114.96.0/20',
  '190.93.240.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '2400:cb00::/32',
  '2405:8100::/32',
  '2405:b500::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
].map(rangeIn)
