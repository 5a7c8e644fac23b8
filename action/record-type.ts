import { parseIpv4, parseIpv6 } from '../lib/ip-address.ts'

/** The types of records that hold an address. */
export type RecordType = 'A' | 'AAAA'

const recordTypes: readonly RecordType[] = ['A', 'AAAA']

/** Parses a list such as `A,AAAA`, in any case and order. Returns A first, or null if it has anything else. */
export function parseRecordTypes(text: string): readonly RecordType[] | null {
  const wanted = text.split(',').map(part => part.trim().toUpperCase())
  const types = recordTypes.filter(type => wanted.includes(type))
  return types.length === wanted.length ? types : null
}

/** What differs between the addresses of an A and of an AAAA record. `parse` returns a whole text as one address, or null. */
export const families = {
  A: { version: 4, example: '198.51.100.7', parse: parseIpv4 },
  AAAA: { version: 6, example: '2001:db8::7', parse: parseIpv6 },
} as const
