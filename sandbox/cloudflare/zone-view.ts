import { isWithin } from './names.ts'
import type { Store } from './store.ts'

/**
 * Returns a name server's view of a store.
 * @param late whether the store is an old state
 */
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
      named: (queried: string) => records.named(queried),
      hasNode: (queried: string) => records.hasNode(queried),
      contains: (queried: string) => isWithin(queried, zone.name),
    }
  },
})
