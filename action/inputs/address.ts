import { isIPv4 } from 'node:net'
import type { AddressRules } from '../address/check.ts'
import type { AddressInputs } from '../address/detect.ts'
import { families } from '../address/family.ts'
import type { VotingSource } from '../address/source.ts'
import { parseRecordTypes, type RecordType } from '../record-type.ts'
import type { Target } from '../records/record.ts'
import { quote } from '../text/quote.ts'
import { readCidrs } from './cidrs.ts'
import { type Reader, readBoolean } from './reader.ts'
import { readResolvers, readSources } from './sources.ts'
import { readSuffixes } from './suffixes.ts'
import { defaultEchoUrls } from './table.ts'

/** Reads how the address of each record type is learned: A first, then AAAA. */
export function readAddresses(read: Reader, targets: readonly Target[]): readonly AddressInputs[] {
  const types = readRecordTypes(read)
  const suffixes = readSuffixes(read, targets, types)
  const resolvers = readResolvers(read)
  const suffixesOf = (type: RecordType): AddressInputs['suffixes'] => (type === 'AAAA' ? suffixes : new Map())
  const given = read.lines('address')
  if (given.length > 0) {
    if (read.text('address-sources') !== '') {
      read.addProblem('address', 'cannot be combined with address-sources. Remove one of them.')
    }
    const addresses = readGiven(read, given, types)
    return types.map(type => ({
      type,
      source: { kind: 'given', address: addresses.get(type) ?? '' },
      suffixes: suffixesOf(type),
    }))
  }
  const listed = read.lines('address-sources')
  const configured = listed.length > 0 ? readSources(read, listed, targets, resolvers) : null
  return types.map(type => {
    const sources = (configured ?? readSources(read, defaultEchoUrls[type], targets, resolvers)).filter(
      source => isReachable(source, type),
    )
    if (configured && configured.length > 0 && sources.length === 0) {
      read.addProblem(
        'address-sources',
        `lists no source for ${type} records: none of its URLs can be reached over IPv${families[type].version}.`,
      )
    }
    return { type, source: { kind: 'asked', sources }, suffixes: suffixesOf(type) }
  })
}

/** Reads `expected-cidr` and `allow-reserved-address`: which addresses a record may hold. */
export function readAddressRules(read: Reader): AddressRules {
  return {
    expectedCidrs: readCidrs(read, 'expected-cidr'),
    allowReserved: readBoolean(read, 'allow-reserved-address'),
  }
}

function readRecordTypes(read: Reader): readonly RecordType[] {
  const text = read.text('record-type')
  const types = parseRecordTypes(text)
  if (types) return types
  read.addProblem('record-type', `is ${quote(text)}. Use A, AAAA, or A,AAAA.`)
  return ['A']
}

function readGiven(
  read: Reader,
  lines: readonly string[],
  types: readonly RecordType[],
): ReadonlyMap<RecordType, string> {
  const parsed = types.map(type => lines.flatMap(line => families[type].parse(line) ?? []))
  if (lines.length === types.length && parsed.every(({ length }) => length === 1)) {
    return new Map(types.map((type, index) => [type, parsed[index]?.[0] ?? '']))
  }
  const wanted = types.map(
    type => `one IPv${families[type].version} address, such as ${families[type].example}`,
  )
  read.addProblem(
    'address',
    `is ${quote(lines.join(' '))}. Enter ${wanted.join(', and on a line of its own ')}.`,
  )
  return new Map()
}

/** A URL with an address for its host serves one family; every other source serves both. */
function isReachable(source: VotingSource, type: RecordType): boolean {
  if (source.kind !== 'echo') return true
  const { hostname } = new URL(source.url)
  if (hostname.startsWith('[')) return type === 'AAAA'
  return type === 'A' || !isIPv4(hostname)
}
