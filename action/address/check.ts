import { ipv6Bits } from '../../lib/ip-address.ts'
import type { Cidr } from '../../lib/ip-range.ts'
import type { Problem } from '../problem.ts'
import { cloudflareRangeOf, specialPurposeOf } from './ranges.ts'

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
  const special = specialPurposeOf(address)
  if (special && !rules.allowReserved) {
    return {
      reason: 'address-not-public',
      message: `${address} is not a public address: ${special}. It cannot be reached from the internet.`,
      setting: 'allow-reserved-address',
    }
  }
  if (!rules.isPrefix && !rules.allowReserved && hasZeroHost(address)) {
    return {
      reason: 'address-not-public',
      message:
        `${address} has a host part of zero, which means any router of its subnet and no host (RFC 4291 section 2.6.1). ` +
        'Check where it comes from.',
      setting: 'allow-reserved-address',
    }
  }
  const cloudflare = cloudflareRangeOf(address)
  if (cloudflare) {
    return {
      reason: 'address-unexpected',
      message:
        `${address} is in ${cloudflare}, a range of Cloudflare's proxy, so it does not belong to this host. Look for a ` +
        'proxy or VPN between the host and the internet.',
      setting: 'address',
    }
  }
  if (rules.expectedCidrs.length > 0 && !rules.expectedCidrs.some(range => range.contains(address))) {
    const ranges = rules.expectedCidrs.map(range => range.text).join(', ')
    return {
      reason: 'address-unexpected',
      message:
        `${address} is outside the expected ranges (${ranges}). If your provider did not move you to another range, it is the ` +
        'address of another network.',
      setting: 'expected-cidr',
    }
  }
  return null
}

/** Global unicast addresses end in a host part of 64 bits (RFC 4291 section 2.5.4). */
function hasZeroHost(address: string): boolean {
  return address.includes(':') && BigInt.asUintN(64, ipv6Bits(address)) === 0n
}
