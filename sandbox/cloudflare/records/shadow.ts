import { isWithin } from '../names.ts'
import type { DnsRecord } from './record.ts'

/**
 * Which records a delegation hides from DNS. The NS records of a name below the apex delegate it. They hide every record
 * at that name or below, except themselves and their glue.
 */
interface Shadows {
  /** Returns the metadata to add to a record. */
  metaOf(record: DnsRecord): Readonly<Record<string, unknown>>
  hides(delegation: string, record: DnsRecord): boolean
}

/** Finds the delegations in the records of a zone. */
export function shadowsOf(records: readonly DnsRecord[], zoneName: string): Shadows {
  const delegations = new Map<string, DnsRecord[]>()
  for (const record of records) {
    if (record.type !== 'NS' || record.name === zoneName) continue
    delegations.set(record.name, [...(delegations.get(record.name) ?? []), record])
  }
  const delegationsOver = (name: string) => [...delegations].filter(([at]) => isWithin(name, at))
  const isDelegation = ({ type, name }: DnsRecord, at: string) => type === 'NS' && name === at
  const isGlue = ({ type, name }: DnsRecord, servers: readonly DnsRecord[]) =>
    (type === 'A' || type === 'AAAA') && servers.some(({ content }) => content === name)
  const hides = (at: string, record: DnsRecord) =>
    isWithin(record.name, at) && !isDelegation(record, at) && !isGlue(record, delegations.get(at) ?? [])
  return {
    hides,
    metaOf: record => {
      const around = delegationsOver(record.name)
      const hiders = around.filter(([at]) => hides(at, record))
      const glue = around.some(([, servers]) => isGlue(record, servers))
      const own = record.type === 'NS' ? delegations.get(record.name) : undefined
      return {
        ...(hiders.length === 0
          ? {}
          : { shadowed_by: hiders.flatMap(([, servers]) => servers.map(({ id }) => id)) }),
        ...(glue ? { is_glue: true } : {}),
        ...(glue && hiders.length > 0 ? { dead_glue: true } : {}),
        ...(own === undefined
          ? {}
          : { shadowed_records_count: records.filter(other => hides(record.name, other)).length }),
      }
    },
  }
}
