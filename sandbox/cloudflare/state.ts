import { SeededIds } from '../http/seeded-ids.ts'
import {
  type JsonObject,
  readArray,
  readBoolean,
  readInstant,
  readInteger,
  readObject,
  readOneOf,
  readString,
  readStrings,
  requireDistinct,
  ValidationError,
} from '../http/validation.ts'
import { isWithin } from './names.ts'
import { type DnsRecord, isProxiable } from './records/record.ts'
import type { Contents, Zone } from './store.ts'
import { isRange } from './tokens/condition.ts'
import {
  type Condition,
  newTokenValue,
  type Policy,
  type Token,
  tokenOwners,
  tokenStatuses,
} from './tokens/token.ts'

/** What fills in the fields that a test leaves out. */
export interface Defaults {
  readonly ids: SeededIds
  /** RFC 3339 */
  readonly now: string
  readonly present: Contents
}

/** Reads an instant and keeps its text: the service's have more digits than a Date. */
const readTime = (value: unknown, where: string): string => {
  readInstant(value, where)
  return readString(value, where)
}

const readZone = (value: unknown, where: string, { ids, now }: Defaults): Zone => {
  const zone = readObject(value, where, ['id', 'name', 'status', 'nameServers', 'createdOn'])
  const name = readString(zone['name'], `${where}.name`).toLowerCase()
  return {
    id: readString(zone['id'] ?? ids.id(), `${where}.id`),
    name,
    status: readString(zone['status'] ?? 'active', `${where}.status`),
    nameServers: readStrings(zone['nameServers'] ?? [`ns1.${name}`, `ns2.${name}`], `${where}.nameServers`),
    createdOn: readTime(zone['createdOn'] ?? now, `${where}.createdOn`),
  }
}

const readData = (value: unknown, where: string): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(readObject(value, where)).map(([name, part]) => {
      if (typeof part === 'number') return [name, part]
      return [name, readString(part, `${where}.${name}`)]
    }),
  )

/**
 * A record as a test wants it, against the API's rules if need be: several CNAMEs, unknown types, further fields. Only
 * the types of the known fields are insisted on.
 */
const readRecord = (
  value: unknown,
  where: string,
  { ids, now }: Pick<Defaults, 'ids' | 'now'>,
): DnsRecord => {
  const given = readObject(value, where)
  const type = readString(given['type'], `${where}.type`)
  const field = (name: string) => `${where}.${name}`
  const comment = given['comment'] ?? null
  const { priority, data } = given
  const known: DnsRecord = {
    id: readString(given['id'] ?? ids.id(), field('id')),
    name: readString(given['name'], field('name')),
    type,
    content: readString(given['content'], field('content')),
    ...(priority === undefined ? {} : { priority: readInteger(priority, field('priority'), 0, 65_535) }),
    proxiable: readBoolean(given['proxiable'] ?? isProxiable(type), field('proxiable')),
    proxied: readBoolean(given['proxied'] ?? false, field('proxied')),
    ttl: readInteger(given['ttl'] ?? 1, field('ttl'), 0, 2 ** 31 - 1),
    ...(data === undefined ? {} : { data: readData(data, field('data')) }),
    settings: readObject(given['settings'] ?? {}, field('settings')) as DnsRecord['settings'],
    meta: readObject(given['meta'] ?? {}, field('meta')),
    comment: comment === null ? null : readString(comment, field('comment')),
    tags: readStrings(given['tags'] ?? [], field('tags')),
    created_on: readTime(given['created_on'] ?? now, field('created_on')),
    modified_on: readTime(given['modified_on'] ?? now, field('modified_on')),
  }
  // Known fields twice: first for their order, last for their values; further ones stand behind them.
  return { ...known, ...given, ...known }
}

/**
 * Reads fields that are to be laid over a record, as a test would put them; at least their types fit.
 * @throws ValidationError
 */
export const readRecordFields = (value: unknown, where: string): JsonObject => {
  const fields = readObject(value, where)
  const fixed = ['id', 'name'].find(name => Object.hasOwn(fields, name))
  if (fixed !== undefined) throw new ValidationError(`${where} cannot change "${fixed}".`)
  const whole = { type: 'A', name: 'a.example', content: '', ...fields }
  readRecord(whole, where, { ids: new SeededIds(0), now: '1970-01-01T00:00:00Z' })
  return fields
}

/** What of a resource a policy reaches: `*`, or some zones of an account. */
const readReach = (value: unknown, where: string): string | Record<string, string> =>
  typeof value === 'string'
    ? value
    : Object.fromEntries(
        Object.entries(readObject(value, where)).map(([name, reach]) => [
          name,
          readString(reach, `${where}.${name}`),
        ]),
      )

const readRanges = (value: unknown, where: string): string[] =>
  readStrings(value, where).map((range, at) => {
    if (!isRange(range)) throw new ValidationError(`${where}[${at}] must be an address in CIDR notation.`)
    return range
  })

const readCondition = (value: unknown, where: string): Condition => {
  const address = readObject(value, where, ['request_ip'])['request_ip']
  if (address === undefined) return {}
  const { in: wanted, not_in } = readObject(address, `${where}.request_ip`, ['in', 'not_in'])
  return {
    request_ip: {
      ...(wanted === undefined ? {} : { in: readRanges(wanted, `${where}.request_ip.in`) }),
      ...(not_in === undefined ? {} : { not_in: readRanges(not_in, `${where}.request_ip.not_in`) }),
    },
  }
}

const readPolicy = (value: unknown, where: string): Policy => {
  const policy = readObject(value, where, ['id', 'effect', 'permission_groups', 'resources'])
  const groups = readArray(policy['permission_groups'], `${where}.permission_groups`)
  const resources = Object.entries(readObject(policy['resources'], `${where}.resources`))
  return {
    ...(policy['id'] === undefined ? {} : { id: readString(policy['id'], `${where}.id`) }),
    effect: readOneOf(policy['effect'] ?? 'allow', `${where}.effect`, ['allow', 'deny'] as const),
    permission_groups: groups.map((group, at) => {
      const place = `${where}.permission_groups[${at}]`
      return { id: readString(readObject(group, place)['id'], `${place}.id`) }
    }),
    resources: Object.fromEntries(
      resources.map(([name, reach]) => [name, readReach(reach, `${where}.resources.${name}`)]),
    ),
  }
}

const readToken = (value: unknown, where: string, { ids, now }: Defaults): Token => {
  const token = readObject(value, where, [
    'id',
    'name',
    'value',
    'owner',
    'status',
    'issuedOn',
    'modifiedOn',
    'condition',
    'expiresOn',
    'notBefore',
    'policies',
  ])
  const { condition, expiresOn, notBefore } = token
  const likely = String(token['value']).startsWith('cfat_') ? 'account' : 'user'
  const owner = readOneOf(token['owner'] ?? likely, `${where}.owner`, tokenOwners)
  return {
    id: readString(token['id'] ?? ids.id(), `${where}.id`),
    name: readString(token['name'] ?? 'unnamed', `${where}.name`),
    value: readString(token['value'] ?? newTokenValue(ids, owner), `${where}.value`),
    owner,
    status: readOneOf(token['status'] ?? 'active', `${where}.status`, tokenStatuses),
    issuedOn: readTime(token['issuedOn'] ?? now, `${where}.issuedOn`),
    modifiedOn: readTime(token['modifiedOn'] ?? now, `${where}.modifiedOn`),
    ...(condition === undefined ? {} : { condition: readCondition(condition, `${where}.condition`) }),
    ...(expiresOn === undefined ? {} : { expiresOn: readTime(expiresOn, `${where}.expiresOn`) }),
    ...(notBefore === undefined ? {} : { notBefore: readTime(notBefore, `${where}.notBefore`) }),
    policies: readArray(token['policies'] ?? [], `${where}.policies`).map((policy, at) =>
      readPolicy(policy, `${where}.policies[${at}]`),
    ),
  }
}

const readZoneRecords = (
  value: unknown,
  zones: readonly Zone[],
  zoneId: string,
  defaults: Defaults,
): DnsRecord[] => {
  const zone = zones.find(({ id }) => id === zoneId)
  if (zone === undefined) {
    throw new ValidationError(
      `records has a zone "${zoneId}", which does not exist. Zones: ${zones.map(({ id }) => id).join(', ')}.`,
    )
  }
  const where = `records.${zoneId}`
  const records = readArray(value, where).map((record, at) => readRecord(record, `${where}[${at}]`, defaults))
  const outside = records.find(({ name }) => !isWithin(name.toLowerCase(), zone.name))
  if (outside)
    throw new ValidationError(`${where} has a record "${outside.name}", which is not in ${zone.name}.`)
  requireDistinct(
    records.map(({ id }) => id),
    `The ids of ${where}`,
  )
  return records
}

/**
 * Reads the collections that `PUT /state` names; each replaces the present one, records zone by zone.
 * @throws ValidationError
 */
export const readContents = (body: JsonObject, defaults: Defaults): Partial<Contents> => {
  const { zones, records, tokens } = body
  const newZones =
    zones === undefined
      ? undefined
      : readArray(zones, 'zones').map((zone, at) => readZone(zone, `zones[${at}]`, defaults))
  requireDistinct(newZones?.map(({ id }) => id) ?? [], 'The ids of zones')
  const allZones = newZones ?? defaults.present.zones
  const newRecords =
    records === undefined
      ? undefined
      : Object.entries(readObject(records, 'records')).map(
          ([zoneId, list]) => [zoneId, readZoneRecords(list, allZones, zoneId, defaults)] as const,
        )
  const newTokens =
    tokens === undefined
      ? undefined
      : readArray(tokens, 'tokens').map((token, at) => readToken(token, `tokens[${at}]`, defaults))
  requireDistinct(newTokens?.map(({ value }) => value) ?? [], 'The values of tokens')
  requireDistinct(newTokens?.map(({ id }) => id) ?? [], 'The ids of tokens')
  return {
    ...(newZones && { zones: newZones }),
    ...(newRecords && { records: Object.fromEntries(newRecords) }),
    ...(newTokens && { tokens: newTokens }),
  }
}
