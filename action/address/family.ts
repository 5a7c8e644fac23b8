import { parseAddress, type RecordType } from '../record-type.ts'

/** What differs between the addresses of an A and of an AAAA record. */
export interface AddressFamily {
  readonly version: 4 | 6
  readonly example: string
  /** Parses a whole text as one address and returns its canonical form, or null. */
  parse(text: string): string | null
}

export const families: Readonly<Record<RecordType, AddressFamily>> = {
  A: { version: 4, example: '198.51.100.7', parse: parseAddress.A },
  AAAA: { version: 6, example: '2001:db8::7', parse: parseAddress.AAAA },
}

/** Returns the type of record that can hold the address. */
export function typeOf(address: string): RecordType {
  return address.includes(':') ? 'AAAA' : 'A'
}
