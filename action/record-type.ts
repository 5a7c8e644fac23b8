/** The types of records that hold an address. */
export type RecordType = 'A' | 'AAAA'

const recordTypes: readonly RecordType[] = ['A', 'AAAA']

/** Parses a list such as `A,AAAA`, in any case and order. Returns A first, or null if it has anything else. */
export function parseRecordTypes(text: string): readonly RecordType[] | null {
  const wanted = text.split(',').map(part => part.trim().toUpperCase())
  const types = recordTypes.filter(type => wanted.includes(type))
  return types.length === wanted.length ? types : null
}
