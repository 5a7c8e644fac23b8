import { isWithin } from './names.ts'
import type { Store } from './store.ts'

/** Returns the zones of a store as name servers see them. @param late whether the store is an older state */
export const zoneViewOf = (store: Store, late: boolean) => ({
  late,
  zoneOf(name: string) {
    const zone = store.zoneOf(name)
    if (zone === undefined) return undefined
    const records = store.records(zone)
    return {
      name: zone.name,
      nameServers: zone.nameServers,
      serial: store.revision(),
      named: (asked: string) => records.named(asked),
      hasNode: (asked: string) => records.hasNode(asked),
      contains: (asked: string) => isWithin(asked, zone.name),
    }
  },
})
