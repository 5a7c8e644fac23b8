import { BlockList, isIP, isIPv4 } from 'node:net'
import type { Condition } from './token.ts'

const longestPrefix = { 4: 32, 6: 128 } as const

/** Reads `address` or `address/prefix`, or undefined when the text is neither. */
const readRange = (
  text: string,
): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined => {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if ((version !== 4 && version !== 6) || rest.length > 0) return undefined
  const longest = longestPrefix[version]
  const length = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  return length <= longest ? { address, prefix: length, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined
}

/** Whether a text can stand in a token's condition. */
export const isRange = (text: string): boolean => readRange(text) !== undefined

const contains = (ranges: readonly string[], address: string): boolean => {
  const list = new BlockList()
  for (const text of ranges) {
    const range = readRange(text)
    if (range) list.addSubnet(range.address, range.prefix, range.family)
  }
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Whether a token with this condition can be used from an address: in one of `in`, if there are any, and in none of `not_in`. */
export const allowsAddress = (condition: Condition | undefined, address: string): boolean => {
  const { in: wanted = [], not_in: unwanted = [] } = condition?.request_ip ?? {}
  if (wanted.length > 0 && !contains(wanted, address)) return false
  return unwanted.length === 0 || !contains(unwanted, address)
}
