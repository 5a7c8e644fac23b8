import { type Cidr, parseCidr } from '../../lib/ip-range.ts'
import { families } from '../address/family.ts'
import type { RecordType } from '../record-type.ts'
import { quote } from '../text/quote.ts'
import type { Reader } from './reader.ts'

/** Reads ranges of either family. */
export function readCidrs<Name extends string>(read: Reader<Name>, name: Name): readonly Cidr[] {
  return read.lines(name).flatMap(line => {
    const range = parseCidr(line)
    if ('value' in range) return range.value
    read.addProblem(name, `${quote(line)} ${range.problem}.`)
    return []
  })
}

/** Reports a record type that no range of `expected-cidr` can hold, which would refuse all its addresses. */
export function checkExpectedTypes(
  read: Reader,
  expectedCidrs: readonly Cidr[],
  types: readonly RecordType[],
): void {
  for (const type of expectedCidrs.length > 0 ? types : []) {
    const { version } = families[type]
    if (!expectedCidrs.some(({ family }) => family === version))
      read.addProblem('expected-cidr', `lists no IPv${version} range for ${type} records. Add one.`)
  }
}
