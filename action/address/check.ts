import type { Problem } from '../problem.ts'
import { type Cidr, cloudflareRangeOf, specialPurposeOf } from './ipv4.ts'

/** What an address must be before any record may hold it. */
export interface AddressRules {
  /** Empty: any. */
  readonly expectedCidrs: readonly Cidr[]
  /** Permits private, documentation and other special-purpose addresses. */
  readonly allowReserved: boolean
}

/** Why no record may hold this address, or null when it may. */
export function checkAddress(address: string, rules: AddressRules): Problem | null {
  const special = specialPurposeOf(address)
  if (special && !rules.allowReserved) {
    return {
      reason: 'address-not-public',
      message:
        `${address} is not a public address: ${special}. Nobody outside could reach the host there. If the record ` +
        'is meant for an inner network, set allow-reserved-address: true.',
    }
  }
  const cloudflare = cloudflareRangeOf(address)
  if (cloudflare) {
    return {
      reason: 'address-unexpected',
      message:
        `${address} lies in ${cloudflare}, a range of Cloudflare's proxy, so it is not this host's own. Look for what ` +
        'stands between the host and the address sources, or give the address yourself.',
    }
  }
  if (rules.expectedCidrs.length > 0 && !rules.expectedCidrs.some(range => range.contains(address))) {
    const ranges = rules.expectedCidrs.map(range => range.text).join(', ')
    return {
      reason: 'address-unexpected',
      message:
        `${address} is outside expected-cidr (${ranges}). If your provider has moved you, add its new range; ` +
        'otherwise this ran behind another network’s exit.',
    }
  }
  return null
}
