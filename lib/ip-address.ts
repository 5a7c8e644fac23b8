import type { Reading } from './reading.ts'
import { trimmed } from './trimmed.ts'

/** What a mapped IPv4 address begins with (RFC 4291 section 2.5.5.2). */
const mapped = '::ffff:'
const mappedBits = 96

const groups = 8
const bitsInGroup = 16
export const bitsInIpv6 = 128
/** The longest text: six groups of four digits, and an IPv4 address in the place of the last two. */
const maxIpv6Characters = 45

const asciiWhiteSpace = '\t\n\f\r '

/** Returns whether the whole text is four decimal octets. Written here, because a Worker has no `node:net`. */
export function isIpv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)
}

/** Returns whether the whole text is an IPv6 address in any form of RFC 4291, without a zone id. */
export function isIpv6(text: string): boolean {
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`)
}

/**
 * Parses the whole text as one dotted-quad IPv4 address, or returns null. Only ASCII white space around it is trimmed:
 * octal, hex and short forms, trailing dots, full-width digits and further words are refused.
 */
export function parseIpv4(text: string): string | null {
  const address = trimmed(text, asciiWhiteSpace)
  return isIpv4(address) ? address : null
}

/**
 * Parses the whole text as one IPv6 address and returns its canonical form (RFC 5952), or null. ASCII white space around
 * it is dropped, nothing else: zone ids (`%eth0`), brackets, ports and second words are refused.
 */
export function parseIpv6(text: string): string | null {
  const address = trimmed(text, asciiWhiteSpace)
  // Stryker disable next-line ConditionalExpression: isIpv6 refuses every text this long as well; the limit only spares it the work
  if (address.length > maxIpv6Characters || !isIpv6(address)) return null
  return ipv6Text(ipv6Bits(address))
}

/** Writes an address in hex only, and shortens it as RFC 5952 does (WHATWG URL, IPv6 serializer). */
function hexForm(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** The last address, because a check compares one with dozens of ranges. */
let last = { address: '::', bits: 0n }

/** Returns the 128 bits of an address that `isIpv6` accepts. */
export function ipv6Bits(address: string): bigint {
  if (address !== last.address) last = { address, bits: readBits(address) }
  return last.bits
}

function readBits(address: string): bigint {
  // Stryker disable next-line StringLiteral: split returns at least one part; only the type checker needs the default
  const [head = '', tail = ''] = hexForm(address).split('::')
  // Stryker disable next-line ConditionalExpression,StringLiteral: An empty head would become one empty group, which is padded to a group of zeros
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  // Stryker disable next-line StringLiteral: Every group is padded with zeros to four digits
  const zeros: string[] = Array(groups - left.length - right.length).fill('0')
  return BigInt(`0x${[...left, ...zeros, ...right].map(group => group.padStart(4, '0')).join('')}`)
}

/**
 * Writes an address in its canonical form (RFC 5952): lower case, no leading zeros, the first of the longest runs of two
 * or more zero groups as `::`. Mapped IPv4 addresses end in dotted form (section 5).
 */
export function ipv6Text(bits: bigint): string {
  const values = Array.from({ length: groups }, (_, index) =>
    Number((bits >> BigInt((groups - 1 - index) * bitsInGroup)) & 0xffffn),
  )
  if (bits >> 32n === 0xffffn) {
    const octets = values.slice(-2).flatMap(value => [value >> 8, value & 0xff])
    return mapped + octets.join('.')
  }
  return hexForm(values.map(value => value.toString(16)).join(':'))
}

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
  return ipv6Network(`${mapped}${address}`, mappedBits + prefix).slice(mapped.length)
}

/** Returns the address with every bit after the prefix set to zero. */
export function ipv6Network(address: string, prefix: number): string {
  const hostBits = BigInt(bitsInIpv6 - prefix)
  return ipv6Text((ipv6Bits(address) >> hostBits) << hostBits)
}
