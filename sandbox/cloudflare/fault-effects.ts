import { type Clock, formatInstant } from '../http/clock.ts'
import type { FaultEffectReaders } from '../http/service.ts'
import {
  readArray,
  readInteger,
  readObject,
  readOneOf,
  readString,
  ValidationError,
} from '../http/validation.ts'
import { isProxiable } from './records/record.ts'
import { nameServerCount, type ReplicationLag } from './replication-lag.ts'
import { readRecordFields } from './state.ts'
import type { Store } from './store.ts'

const maxStaleMs = 24 * 3600 * 1000
const everyServer = Array.from({ length: nameServerCount }, (_, at) => at)

/** The state that effects change. */
export interface Changeable {
  readonly store: Store
  readonly clock: Clock
  readonly replicationLag: ReplicationLag
}

function recordsOf(store: Store, name: string, type: string | undefined) {
  const zone = store.zoneOf(name)
  if (zone === undefined) return []
  const records = store.records(zone).named(name)
  return records.filter(record => (type ?? record.type) === record.type).map(record => ({ zone, record }))
}

/** Returns the readers of the effects on zones and tokens, by kind. */
export function faultEffects({ store, clock, replicationLag }: Changeable): FaultEffectReaders {
  return {
    /** Deletes the records of a name, of one type or all types. */
    'delete-record': (value, where) => {
      const fields = readObject(value, where, ['kind', 'name', 'type'])
      const name = readString(fields['name'], `${where}.name`).toLowerCase()
      const type = fields['type'] === undefined ? undefined : readString(fields['type'], `${where}.type`)
      return {
        fields: { name, ...(type !== undefined && { type }) },
        apply() {
          for (const { zone, record } of recordsOf(store, name, type)) store.remove(zone, record.id)
        },
      }
    },
    /** Changes fields of the records of a name, which can include their type. */
    'change-record': (value, where) => {
      const given = readObject(value, where, ['kind', 'name', 'type', 'fields'])
      const name = readString(given['name'], `${where}.name`).toLowerCase()
      const type = given['type'] === undefined ? undefined : readString(given['type'], `${where}.type`)
      const fields = readRecordFields(given['fields'], `${where}.fields`)
      return {
        fields: { name, ...(type !== undefined && { type }), fields },
        apply() {
          for (const { zone, record } of recordsOf(store, name, type)) {
            const changed = { ...record, ...fields, modified_on: formatInstant(clock.now()) }
            store.put(zone, { ...changed, proxiable: isProxiable(changed.type) })
          }
        },
      }
    },
    /** Revokes the token of the request, or the one with a given id. */
    'revoke-token': (value, where) => {
      const { token } = readObject(value, where, ['kind', 'token'])
      const id = token === undefined ? undefined : readString(token, `${where}.token`)
      return {
        fields: id === undefined ? {} : { token: id },
        apply({ tokenId }) {
          const revoked = store.token(id ?? tokenId ?? '')
          if (revoked) store.putToken({ ...revoked, status: 'revoked' })
        },
      }
    },
    /** Shows the state before this request to the API or to name servers (default: all), for a set time. */
    stale(value, where) {
      const { of, forMs, servers } = readObject(value, where, ['kind', 'of', 'forMs', 'servers'])
      const durationMs = readInteger(forMs, `${where}.forMs`, 1, maxStaleMs)
      const reader = readOneOf(of ?? 'api', `${where}.of`, ['api', 'dns'] as const)
      if (reader === 'api' && servers !== undefined) {
        throw new ValidationError(
          `${where}.servers is for name servers only. Set of to "dns", or omit servers.`,
        )
      }
      const chosen = readArray(servers ?? everyServer, `${where}.servers`).map((server, at) =>
        readInteger(server, `${where}.servers[${at}]`, 0, nameServerCount - 1),
      )
      return {
        fields: { of: reader, forMs: durationMs, ...(reader === 'dns' && { servers: chosen }) },
        apply() {
          const readers = reader === 'api' ? (['api'] as const) : chosen
          replicationLag.keep(readers, store.contents(), clock.now() + durationMs)
        },
      }
    },
  }
}
