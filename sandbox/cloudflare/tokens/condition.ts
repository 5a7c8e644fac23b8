import { BlockList, isIP, isIPv4 } from 'node:net'
import type { Condition } from './token.ts'

const maxPrefix = { 4: 32, 6: 128 } as const

/** Parses `address` or `address/prefix`. Returns null if the text is neither. */
function readRange(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | null {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if ((version !== 4 && version !== 6) || rest.length > 0) return null
  const max = maxPrefix[version]
  const length = prefix === undefined ? max : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  return length <= max ? { address, prefix: length, family: version === 4 ? 'ipv4' : 'ipv6' } : null
}

/** Whether a text is a valid range for a condition. */
export const isRange = (text: string): boolean => readRange(text) !== null

function contains(ranges: readonly string[], address: string): boolean {
  const list = new BlockList()
  for (const text of ranges) {
    const range = readRange(text)
    if (range) list.addSubnet(range.address, range.prefix, range.family)
  }
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Whether a condition allows an address. */
export const allowsAddress = (condition: Condition | undefined, address: string): boolean =>
  condition === undefined || contains(condition.request_ip.in, address)
