/** The types of records that hold an address. */
export const recordTypes = ['A', 'AAAA'] as const
export type RecordType = (typeof recordTypes)[number]

/** Returns types in their own order, A first. */
export function sortTypes(types: readonly RecordType[]): readonly RecordType[] {
  return recordTypes.filter(type => types.includes(type))
}
