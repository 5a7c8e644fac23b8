import type { Controlled } from '../control/state.ts'
import { formatInstant } from '../http/clock.ts'
import {
  type JsonObject,
  readArray,
  readInteger,
  readObject,
  readOneOf,
  readString,
  ValidationError,
} from '../http/validation.ts'
import { isProxiable } from './records/record.ts'
import { nameServerCount } from './replication-lag.ts'
import { readRecordFields } from './state.ts'

/** Something that happens to the services while a client is at work. */
export type FaultEffect =
  /** Somebody else deletes the records of a name, of one type or of all. */
  | { readonly kind: 'delete-record'; readonly name: string; readonly type?: string }
  /** Somebody else changes fields of the records of a name, their type too if they like. */
  | {
      readonly kind: 'change-record'
      readonly name: string
      readonly type?: string
      readonly fields: JsonObject
    }
  /** A token is revoked: that of the request, or the one with this id. */
  | { readonly kind: 'revoke-token'; readonly token?: string }
  /** For so long, reads of the API, or these name servers (all by default), show what was before this request. */
  | { readonly kind: 'stale'; readonly of: 'api'; readonly forMs: number }
  | {
      readonly kind: 'stale'
      readonly of: 'dns'
      readonly forMs: number
      readonly servers: readonly number[]
    }

const kinds = ['delete-record', 'change-record', 'revoke-token', 'stale'] as const
const longestMs = 24 * 3600 * 1000
const everyServer = Array.from({ length: nameServerCount }, (_, at) => at)

/** Reads an effect. @throws ValidationError */
export const readFaultEffect = (value: unknown, where: string): FaultEffect => {
  const kind = readOneOf(readObject(value, where)['kind'], `${where}.kind`, kinds)
  const fields = (...known: string[]) => readObject(value, where, ['kind', ...known])
  switch (kind) {
    case 'delete-record': {
      const { name, type } = fields('name', 'type')
      return {
        kind,
        name: readString(name, `${where}.name`).toLowerCase(),
        ...(type === undefined ? {} : { type: readString(type, `${where}.type`) }),
      }
    }
    case 'change-record': {
      const { name, type, fields: changes } = fields('name', 'type', 'fields')
      return {
        kind,
        name: readString(name, `${where}.name`).toLowerCase(),
        ...(type === undefined ? {} : { type: readString(type, `${where}.type`) }),
        fields: readRecordFields(changes, `${where}.fields`),
      }
    }
    case 'revoke-token': {
      const { token } = fields('token')
      return { kind, ...(token === undefined ? {} : { token: readString(token, `${where}.token`) }) }
    }
    case 'stale': {
      const { of, forMs, servers } = fields('of', 'forMs', 'servers')
      const lasting = readInteger(forMs, `${where}.forMs`, 1, longestMs)
      if (readOneOf(of ?? 'api', `${where}.of`, ['api', 'dns'] as const) === 'api') {
        if (servers !== undefined) throw new ValidationError(`${where}.servers is for name servers only.`)
        return { kind, of: 'api', forMs: lasting }
      }
      const chosen = readArray(servers ?? everyServer, `${where}.servers`)
      return {
        kind,
        of: 'dns',
        forMs: lasting,
        servers: chosen.map((server, at) =>
          readInteger(server, `${where}.servers[${at}]`, 0, nameServerCount - 1),
        ),
      }
    }
  }
}

type Changeable = Pick<Controlled, 'store' | 'clock' | 'replicationLag'>

const matchingRecords = ({ store }: Changeable, name: string, type: string | undefined) => {
  const zone = store.zoneOf(name)
  const records = zone === undefined ? [] : store.records(zone).named(name)
  return zone === undefined
    ? []
    : records.filter(record => type === undefined || record.type === type).map(record => ({ zone, record }))
}

/**
 * Lets an effect happen. One that finds nothing to change changes nothing.
 * @param tokenId that of the request
 */
export const applyEffect = (controlled: Changeable, effect: FaultEffect, tokenId: string | null): void => {
  const { store, clock, replicationLag } = controlled
  const now = clock.now()
  switch (effect.kind) {
    case 'delete-record':
      for (const { zone, record } of matchingRecords(controlled, effect.name, effect.type)) {
        store.remove(zone, record.id)
      }
      break
    case 'change-record':
      for (const { zone, record } of matchingRecords(controlled, effect.name, effect.type)) {
        const changed = { ...record, ...effect.fields, modified_on: formatInstant(now) }
        store.put(zone, { ...changed, proxiable: isProxiable(changed.type) })
      }
      break
    case 'revoke-token': {
      const token = store.token(effect.token ?? tokenId ?? '')
      if (token) store.putToken({ ...token, status: 'revoked' })
      break
    }
    case 'stale': {
      const readers = effect.of === 'api' ? (['api'] as const) : effect.servers
      replicationLag.keep(readers, store.contents(), now + effect.forMs)
    }
  }
}
