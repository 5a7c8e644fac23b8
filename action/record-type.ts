import { parseIpv4, parseIpv6 } from '../lib/ip-address.ts'

/** The types of records that hold an address. */
export type RecordType = 'A' | 'AAAA'

/** Parses the address that a record of a type holds, or returns null. */
export const parseAddress: Readonly<Record<RecordType, (text: string) => string | null>> = {
  A: parseIpv4,
  AAAA: parseIpv6,
}

const recordTypes: readonly RecordType[] = ['A', 'AAAA']

/** Parses a list such as `A,AAAA`, in any case and order. Returns A first, or null if it has anything else. */
export function parseRecordTypes(text: string): readonly RecordType[] | null {
  const wanted = text.split(',').map(part => part.trim().toUpperCase())
  const types = recordTypes.filter(type => wanted.includes(type))
  return types.length === wanted.length ? types : null
}
