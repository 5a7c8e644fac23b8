import { type Clock, formatInstant } from '../http/clock.ts'
import type { FaultEffectReaders } from '../http/emulated-service.ts'
import {
  integer,
  listOf,
  oneOf,
  optional,
  type Reader,
  readFields,
  readString,
  ValidationError,
  withDefault,
} from '../http/validation.ts'
import { isProxiable } from './records/record.ts'
import { nameServerCount, type ReplicationLag } from './replication-lag.ts'
import { readRecordFields } from './state.ts'
import type { Store } from './store.ts'

const maxStaleMs = 24 * 3600 * 1000
const everyServer = Array.from({ length: nameServerCount }, (_, at) => at)

/** The state that effects change. */
interface Changeable {
  readonly store: Store
  readonly clock: Clock
  readonly replicationLag: ReplicationLag
}

function recordsOf(store: Store, name: string, type: string | undefined) {
  const zone = store.zoneOf(name)
  if (zone === null) return []
  const records = store.records(zone).named(name)
  return records.filter(record => (type ?? record.type) === record.type).map(record => ({ zone, record }))
}

const readName: Reader<string> = (value, where) => readString(value, where).toLowerCase()

const recordFields = { name: readName, type: optional(readString) }

/** Returns the readers of the effects on zones and tokens, by kind. */
export function faultEffects({ store, clock, replicationLag }: Changeable): FaultEffectReaders {
  return {
    /** Deletes the records of a name, of one type or all types. */
    'delete-record': (value, where) => {
      const fields = readFields(value, where, recordFields)
      return {
        fields,
        apply() {
          for (const { zone, record } of recordsOf(store, fields.name, fields.type)) {
            store.remove(zone, record.id)
          }
        },
      }
    },
    /** Changes fields of the records of a name, which can include their type. */
    'change-record': (value, where) => {
      const fields = readFields(value, where, { ...recordFields, fields: readRecordFields })
      return {
        fields,
        apply() {
          for (const { zone, record } of recordsOf(store, fields.name, fields.type)) {
            const changed = { ...record, ...fields.fields, modified_on: formatInstant(clock.now()) }
            store.put(zone, { ...changed, proxiable: isProxiable(changed.type) })
          }
        },
      }
    },
    /** Revokes the token of the request, or the one with a given id. */
    'revoke-token': (value, where) => {
      const fields = readFields(value, where, { token: optional(readString) })
      return {
        fields,
        apply({ tokenId }) {
          const revoked = store.token(fields.token ?? tokenId ?? '')
          if (revoked) store.putToken({ ...revoked, status: 'revoked' })
        },
      }
    },
    /** Shows the state before this request to the API or to name servers (default: all), for a set time. */
    stale(value, where) {
      const { of, forMs, servers } = readFields(value, where, {
        of: withDefault('api', oneOf(['api', 'dns'])),
        forMs: integer(1, maxStaleMs),
        servers: optional(listOf(integer(0, nameServerCount - 1))),
      })
      if (of === 'api' && servers !== undefined) {
        throw new ValidationError(
          `${where}.servers is for name servers only. Set of to "dns", or omit servers.`,
        )
      }
      const readers = of === 'api' ? (['api'] as const) : (servers ?? everyServer)
      return {
        fields: { of, forMs, ...(of === 'dns' && { servers: readers }) },
        apply: () => replicationLag.keep(readers, store.contents(), clock.now() + forMs),
      }
    },
  }
}
