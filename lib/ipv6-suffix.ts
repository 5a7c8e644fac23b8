import { ipv6Bits, ipv6Network, ipv6Text, parseIpv6 } from './ip-address.ts'
import type { Reading } from './reading.ts'

/** The host part of an IPv6 address, and the length of the prefix that it follows. */
export interface Ipv6Suffix {
  /** An address in canonical text whose prefix bits are all zero. */
  readonly host: string
  readonly prefixLength: number
}

/** Parses a host part such as `::1:2:3:4/64`. */
export function parseSuffix(text: string): Reading<Ipv6Suffix> {
  const [hostText = '', lengthText = '', ...rest] = text.split('/')
  const host = /\s/.test(text) ? null : parseIpv6(hostText)
  const prefixLength = /^[1-9]\d{0,2}$/.test(lengthText) ? Number(lengthText) : 0
  if (rest.length > 0 || host === null || prefixLength < 1 || prefixLength > 127) {
    return {
      problem:
        'is not the host part of an IPv6 address; write it with its prefix length, such as ::1:2:3:4/64',
    }
  }
  if (ipv6Bits(host) === 0n) return { problem: 'names no host after the prefix' }
  if (ipv6Network(host, prefixLength) !== '::') {
    return { problem: `has bits inside its prefix of ${prefixLength} bits; leave them zero` }
  }
  return { value: { host, prefixLength } }
}

/** Appends the host part to the prefix of an address. */
export function withSuffix(address: string, { host, prefixLength }: Ipv6Suffix): string {
  return ipv6Text(ipv6Bits(ipv6Network(address, prefixLength)) | ipv6Bits(host))
}
