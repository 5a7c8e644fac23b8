import { parseAddress, type RecordType } from '../record-type.ts'
import { cloudflareRangeOf, specialPurposeOf } from './ipv4.ts'
import { ipv6CloudflareRangeOf, ipv6SpecialPurposeOf } from './ipv6.ts'

/** What differs between the addresses of an A and of an AAAA record. */
export interface AddressFamily {
  readonly version: 4 | 6
  readonly example: string
  /** Parses a whole text as one address and returns its canonical form, or null. */
  parse(text: string): string | null
  /** Returns why an address cannot be a host's public one, with the range and its RFC; null if it can. */
  specialPurposeOf(address: string): string | null
  /** Returns the range of Cloudflare's proxy that holds the address, as text, or null. */
  cloudflareRangeOf(address: string): string | null
}

export const families: Readonly<Record<RecordType, AddressFamily>> = {
  A: { version: 4, example: '198.51.100.7', parse: parseAddress.A, specialPurposeOf, cloudflareRangeOf },
  AAAA: {
    version: 6,
    example: '2001:db8::7',
    parse: parseAddress.AAAA,
    specialPurposeOf: ipv6SpecialPurposeOf,
    cloudflareRangeOf: ipv6CloudflareRangeOf,
  },
}

/** Returns the type of record that can hold the address. */
export function typeOf(address: string): RecordType {
  return address.includes(':') ? 'AAAA' : 'A'
}
