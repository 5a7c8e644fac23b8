import { bitsInIpv6, ipv6Bits } from '../ip-address.ts'
import type { Reading } from '../problem.ts'

/** A range of addresses of one family, in CIDR notation. */
export interface Cidr {
  readonly text: string
  readonly family: 4 | 6
  /** Returns whether the range contains the address. An address of the other family is never in it. */
  contains(address: string): boolean
}

/** The notation of one address family. */
export interface CidrSyntax {
  readonly family: 4 | 6
  /** Returns the canonical text of a whole address, or null. */
  parse(text: string): string | null
  /** Returns the address with every bit after the prefix set to zero. */
  networkOf(address: string, prefix: number): string
  readonly example: string
}

/** Creates the range of a network address. No bit after the prefix may be set. */
export function rangeOf(network: string, prefix: number, family: 4 | 6): Cidr {
  const unusedBits = BigInt((family === 4 ? 32 : bitsInIpv6) - prefix)
  const prefixOf = (address: string) => ipv6Bits(family === 4 ? `::${address}` : address) >> unusedBits
  let wanted: bigint | null = null
  return {
    text: `${network}/${prefix}`,
    family,
    contains(address) {
      if (address.includes(':') !== (family === 6)) return false
      wanted ??= prefixOf(network)
      return prefixOf(address) === wanted
    },
  }
}

/**
 * Parses a range such as `203.0.113.0/24`. Bits set after the prefix are refused, because it is then unclear whether the
 * address or the range was meant.
 */
export function parseCidrOf(syntax: CidrSyntax, text: string): Reading<Cidr, string> {
  const { family, parse, networkOf, example } = syntax
  const maxPrefix = family === 4 ? 32 : 128
  const [addressText = '', prefixText = '', ...rest] = text.split('/')
  const address = /\s/.test(text) ? null : parse(addressText)
  const prefix = /^(0|[1-9]\d{0,2})$/.test(prefixText) ? Number(prefixText) : Number.NaN
  if (rest.length > 0 || address === null || !(prefix <= maxPrefix)) {
    const single = address !== null && !text.includes('/')
    const fix = single ? `For one address, write ${address}/${maxPrefix}` : `Write it like ${example}`
    return { problem: `is not an IPv${family} range. ${fix}` }
  }
  const network = networkOf(address, prefix)
  if (network !== address) {
    return {
      problem: `has bits set beyond its prefix. Write ${network}/${prefix} or ${address}/${maxPrefix}`,
    }
  }
  return { value: rangeOf(network, prefix, family) }
}
