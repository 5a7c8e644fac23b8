/** The types of records that hold an address. */
export type RecordType = 'A' | 'AAAA'
