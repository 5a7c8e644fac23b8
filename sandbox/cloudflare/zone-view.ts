import { isWithin } from './names.ts'
import type { Store } from './store.ts'

/** Returns a name server's view of a store. */
export const zoneViewOf = (store: Store) => ({
  zoneOf(name: string) {
    const zone = store.zoneOf(name)
    if (zone === null) return null
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
