import type { SettingProblem, SettingReading } from './problems.ts'

/** The bytes of an IP address: 4, or 16 for IPv6. IPv4-mapped addresses have 4. */
export type Address = readonly number[]

/** The addresses that begin with the first bits of one. */
export interface AddressRange {
  readonly first: Address
  readonly prefix: number
}

/** Returns the bytes of an address in any usual spelling, with a zone or without; null for other text. */
export function parseAddress(text: string): Address | null {
  return text.includes(':') ? parseIpv6(text.replace(/%.*$/, '')) : parseIpv4(text)
}

function parseIpv4(text: string): Address | null {
  const bytes = text.split('.').map(part => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256))
  return bytes.length === 4 && bytes.every(byte => byte < 256) ? bytes : null
}

/** Eight groups of 16 bits; `::` stands for one or more groups of zeros, and IPv4 may end the address (RFC 4291 §2.2). */
function parseIpv6(text: string): Address | null {
  const sides = text.split('::')
  if (sides.length > 2) return null
  const [before, after] = sides.map(side => (side === '' ? [] : bytesOf(side.split(':'))))
  if (!before || after === null) return null
  const missing = 16 - before.length - (after?.length ?? 0)
  if (after ? missing < 2 : missing !== 0) return null
  const bytes = [...before, ...new Array<number>(missing).fill(0), ...(after ?? [])]
  const mapped = bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255'
  return mapped ? bytes.slice(12) : bytes
}

function bytesOf(groups: readonly string[]): readonly number[] | null {
  const bytes: number[] = []
  for (const [index, group] of groups.entries()) {
    const ipv4 = index === groups.length - 1 && group.includes('.') ? parseIpv4(group) : null
    if (!ipv4 && !/^[0-9a-f]{1,4}$/i.test(group)) return null
    const value = Number.parseInt(group, 16)
    bytes.push(...(ipv4 ?? [value >> 8, value & 255]))
  }
  return bytes
}

export function isInRange(address: Address, { first, prefix }: AddressRange): boolean {
  if (address.length !== first.length) return false
  return first.every((byte, index) => {
    const bits = Math.max(0, Math.min(8, prefix - index * 8))
    return byte >> (8 - bits) === (address[index] ?? 0) >> (8 - bits)
  })
}

/** Reads addresses and ranges (`10.0.0.0/8`), separated by commas or spaces; blank is an empty list. */
export function readAddressRanges(text: string): SettingReading<readonly AddressRange[]> {
  const parts = text.split(/[\s,]+/).filter(Boolean)
  const ranges = parts.flatMap(readRange)
  const problems = parts
    .filter(part => readRange(part).length === 0)
    .map((found): SettingProblem => ({ code: 'not-a-range', found }))
  return problems.length > 0 ? { problems } : { value: ranges }
}

function readRange(text: string): readonly AddressRange[] {
  const [address = '', prefix, ...rest] = text.split('/')
  const first = parseAddress(address)
  if (!first || rest.length > 0) return []
  if (prefix === undefined) return [{ first, prefix: first.length * 8 }]
  // A prefix of 0 would trust every address, and a forged header with it.
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= first.length * 8
    ? [{ first, prefix: Number(prefix) }]
    : []
}
