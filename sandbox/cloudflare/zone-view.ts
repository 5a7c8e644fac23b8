import { isWithin } from './names.ts'
import type { DnsRecord } from './records/record.ts'
import { readSvcParams } from './records/svc-params.ts'
import type { Store } from './store.ts'

/** Parses the parameters of an HTTPS record. Those from PUT /state can be invalid. */
const served = (record: DnsRecord) =>
  record.type === 'HTTPS'
    ? { ...record, svcParams: readSvcParams(String(record.data?.['value'] ?? '')) }
    : record

/**
 * Returns a name server's view of a store.
 * @param late whether the store is an old state
 */
export const zoneViewOf = (store: Store, late: boolean) => ({
  late,
  zoneOf(name: string) {
    const zone = store.zoneOf(name)
    if (zone === null) return null
    const records = store.records(zone)
    return {
      name: zone.name,
      nameServers: zone.nameServers,
      serial: store.revision(),
      named: (queried: string) => records.named(queried).map(served),
      hasNode: (queried: string) => records.hasNode(queried),
      contains: (queried: string) => isWithin(queried, zone.name),
    }
  },
})
