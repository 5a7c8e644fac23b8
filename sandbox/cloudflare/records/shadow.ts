import { isWithin } from '../names.ts'
import type { DnsRecord } from './record.ts'

/** Lists and batches with more records show no metadata. */
const maxRecords = 1000

/**
 * Returns records with metadata that says which NS records shadow them, or unchanged if there are too many. The NS records
 * of a name below the apex delegate it. They shadow every record at that name or below, except themselves.
 * @param all the records of the zone
 */
export function withShadows(
  shown: readonly DnsRecord[],
  all: readonly DnsRecord[],
  zoneName: string,
): readonly DnsRecord[] {
  const delegations = new Map<string, DnsRecord[]>()
  for (const record of all) {
    if (record.type !== 'NS' || record.name === zoneName) continue
    delegations.set(record.name, [...(delegations.get(record.name) ?? []), record])
  }
  function metaOf({ type, name }: DnsRecord): Readonly<Record<string, unknown>> {
    const above = [...delegations]
      .filter(([at]) => isWithin(name, at) && !(type === 'NS' && name === at))
      .toSorted(([one], [other]) => one.length - other.length)
      .map(([, servers]) => servers)
    const isAddress = type === 'A' || type === 'AAAA'
    const isGlueOf = (servers: readonly DnsRecord[] = []) =>
      isAddress && servers.some(({ content }) => content === name)
    const isGlue = above.some(isGlueOf)
    return {
      ...(above.length === 0 ? {} : { shadowed_by: above.flat().map(({ id }) => id) }),
      ...(isGlue ? { is_glue: true } : {}),
      // Only the referral to the first delegation below the apex carries glue.
      ...(isGlue && !isGlueOf(above[0]) ? { dead_glue: true } : {}),
    }
  }
  return delegations.size === 0 || shown.length > maxRecords
    ? shown
    : shown.map(record => ({ ...record, meta: { ...record.meta, ...metaOf(record) } }))
}
