import type { Databases } from './d1/databases.ts'
import type { Store } from './store.ts'
import type { WorkersRuntime } from './workers/runtime.ts'
import type { Workers } from './workers/workers.ts'

/** The state that the home page shows. */
interface Shown {
  readonly store: Store
  readonly workers: Workers
  readonly databases: Databases
  readonly runtime: WorkersRuntime
}

/** Returns functions that read zones, Workers, databases and console lines for the home page. */
export const overviewOf = ({ store, workers, databases, runtime }: Shown) => ({
  zones: () => store.zones().map(zone => ({ ...zone, records: store.records(zone).all() })),
  workers: () =>
    [...workers.scripts.values()].map(({ name }) => ({
      name,
      addresses: [
        ...[...workers.domains.values()].flatMap(({ service, hostname }) =>
          service === name ? [hostname] : [],
        ),
        ...[...workers.routes.values()].flatMap(({ script, pattern }) => (script === name ? [pattern] : [])),
      ],
    })),
  databases: () => databases.all(),
  console: () => runtime.console(),
})
