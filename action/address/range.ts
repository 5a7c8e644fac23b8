import { BlockList } from 'node:net'

/** A range of addresses of one family, in CIDR notation. */
export interface Cidr {
  readonly text: string
  readonly family: 4 | 6
  /** Returns whether the range holds the address. An address of the other family is never in it. */
  contains(address: string): boolean
}

/** How the text of one address family is read; what `parseCidrOf` needs to know of it. */
export interface CidrSyntax {
  readonly family: 4 | 6
  /** Returns the canonical text of a whole address, or null. */
  parse(text: string): string | null
  /** Returns the address with every bit behind the prefix set to zero. */
  networkOf(address: string, prefix: number): string
  readonly example: string
}

/** Creates the range of a network address. The caller has made sure that no bit is set behind the prefix. */
export function rangeOf(network: string, prefix: number, family: 4 | 6): Cidr {
  let list: BlockList | null = null
  return {
    text: `${network}/${prefix}`,
    family,
    contains(address) {
      if (!list) {
        list = new BlockList()
        list.addSubnet(network, prefix, `ipv${family}`)
      }
      return list.check(address, `ipv${family}`)
    },
  }
}

/**
 * Parses a range such as `203.0.113.0/24`, or says what is wrong with it. Bits set behind the prefix are refused: the text
 * then does not tell whether the address or the range was meant.
 */
export function parseCidrOf(syntax: CidrSyntax, text: string): Cidr | { readonly problem: string } {
  const { family, parse, networkOf, example } = syntax
  const maxPrefix = family === 4 ? 32 : 128
  const [addressText = '', prefixText = '', ...rest] = text.split('/')
  const address = /\s/.test(text) ? null : parse(addressText)
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Number.NaN
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
  return rangeOf(network, prefix, family)
}
