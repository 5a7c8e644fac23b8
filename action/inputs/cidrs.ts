import { parseCidr } from '../address/family.ts'
import type { Cidr } from '../address/range.ts'
import { quote } from '../text/quote.ts'
import type { Reader } from './reader.ts'

/** Reads `expected-cidr`: ranges of either family. */
export function readCidrs(read: Reader): readonly Cidr[] {
  return read.lines('expected-cidr').flatMap(line => {
    const range = parseCidr(line)
    if ('value' in range) return range.value
    read.addProblem('expected-cidr', `${quote(line)} ${range.problem}.`)
    return []
  })
}
