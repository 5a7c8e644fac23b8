import { isWithin } from '../names.ts'
import type { DnsRecord } from './record.ts'

/** Lists and batches with more records show no metadata. */
const maxRecords = 1000
/** The service counts no further. */
const maxCount = 10_000

/**
 * Which records a delegation shadows. The NS records of a name below the apex delegate it. They shadow every record at
 * that name or below, except themselves.
 */
interface Shadows {
  /** Returns the records with their metadata, or unchanged if there are too many. */
  describe(records: readonly DnsRecord[]): readonly DnsRecord[]
  shadows(delegation: string, record: DnsRecord): boolean
}

/** Finds the delegations in the records of a zone. */
export function shadowsOf(records: readonly DnsRecord[], zoneName: string): Shadows {
  const delegations = new Map<string, DnsRecord[]>()
  for (const record of records) {
    if (record.type !== 'NS' || record.name === zoneName) continue
    delegations.set(record.name, [...(delegations.get(record.name) ?? []), record])
  }
  const shadows = (at: string, { type, name }: DnsRecord) =>
    isWithin(name, at) && !(type === 'NS' && name === at)

  function metaOf(record: DnsRecord): Readonly<Record<string, unknown>> {
    const above = [...delegations]
      .filter(([at]) => shadows(at, record))
      .toSorted(([one], [other]) => one.length - other.length)
      .map(([, servers]) => servers)
    const isAddress = record.type === 'A' || record.type === 'AAAA'
    const isGlueOf = (servers: readonly DnsRecord[] = []) =>
      isAddress && servers.some(({ content }) => content === record.name)
    const isGlue = above.some(isGlueOf)
    const delegates = record.type === 'NS' && delegations.has(record.name)
    const count = delegates ? records.filter(other => shadows(record.name, other)).length : 0
    return {
      ...(above.length === 0 ? {} : { shadowed_by: above.flat().map(({ id }) => id) }),
      ...(isGlue ? { is_glue: true } : {}),
      // Only the referral to the first delegation below the apex carries glue.
      ...(isGlue && !isGlueOf(above[0]) ? { dead_glue: true } : {}),
      ...(count === 0 ? {} : { shadowed_records_count: Math.min(count, maxCount) }),
    }
  }
  return {
    shadows,
    describe: shown =>
      delegations.size === 0 || shown.length > maxRecords
        ? shown
        : shown.map(record => ({ ...record, meta: { ...record.meta, ...metaOf(record) } })),
  }
}
