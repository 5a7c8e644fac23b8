import { bitsInIpv6, ipv6Bits, ipv6Text, parseIpv4, parseIpv6 } from './ip-address.ts'
import type { Reading } from './reading.ts'

/** A range of addresses of one family, in CIDR notation. */
export interface Cidr {
  readonly text: string
  readonly family: 4 | 6
  readonly prefix: number
  /** Returns whether the range contains the address. An address of the other family is never in it. */
  contains(address: string): boolean
}

/** Creates the range of a network address. No bit after the prefix may be set. */
export function rangeOf(network: string, prefix: number, family: 4 | 6): Cidr {
  const unusedBits = BigInt((family === 4 ? 32 : bitsInIpv6) - prefix)
  const prefixOf = (address: string) => ipv6Bits(family === 4 ? `::${address}` : address) >> unusedBits
  let wanted: bigint | null = null
  return {
    text: `${network}/${prefix}`,
    family,
    prefix,
    contains(address) {
      if (address.includes(':') !== (family === 6)) return false
      wanted ??= prefixOf(network)
      return prefixOf(address) === wanted
    },
  }
}

/**
 * Parses a range of either family, such as `203.0.113.0/24`. Bits set after the prefix are refused, because it is then
 * unclear whether the address or the range was meant. A problem continues the quoted text, without a full stop.
 */
export function parseCidr(text: string): Reading<Cidr> {
  const family = text.includes(':') ? 6 : 4
  const maxPrefix = family === 4 ? 32 : bitsInIpv6
  const [addressText = '', prefixText = '', ...rest] = text.split('/')
  const address = /\s/.test(text) ? null : family === 4 ? parseIpv4(addressText) : parseIpv6(addressText)
  const prefix = /^(0|[1-9]\d{0,2})$/.test(prefixText) ? Number(prefixText) : Number.NaN
  if (rest.length > 0 || address === null || !(prefix <= maxPrefix)) {
    const single = address !== null && !text.includes('/')
    const example = family === 4 ? '203.0.113.0/24' : '2001:db8:1234::/48'
    const fix = single ? `For one address, write ${address}/${maxPrefix}` : `Write it like ${example}`
    return { problem: `is not an IPv${family} range. ${fix}` }
  }
  const network = family === 4 ? ipv4Network(address, prefix) : ipv6Network(address, prefix)
  if (network !== address) {
    return {
      problem: `has bits set beyond its prefix. Write ${network}/${prefix} or ${address}/${maxPrefix}`,
    }
  }
  return { value: rangeOf(network, prefix, family) }
}

function ipv4Network(address: string, prefix: number): string {
  return address
    .split('.')
    .map((octet, index) => {
      const bits = Math.min(Math.max(prefix - index * 8, 0), 8)
      return Number(octet) & (0xff << (8 - bits)) & 0xff
    })
    .join('.')
}

/** Returns the address with every bit after the prefix set to zero. */
export function ipv6Network(address: string, prefix: number): string {
  const hostBits = BigInt(bitsInIpv6 - prefix)
  return ipv6Text((ipv6Bits(address) >> hostBits) << hostBits)
}
