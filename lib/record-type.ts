/** The types of records that hold an address. */
export const recordTypes = ['A', 'AAAA'] as const
export type RecordType = (typeof recordTypes)[number]
