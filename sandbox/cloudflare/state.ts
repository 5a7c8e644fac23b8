import { SeededIds } from '../http/seeded-ids.ts'
import {
  type JsonObject,
  listOf,
  oneOf,
  optional,
  type Reader,
  readArray,
  readBoolean,
  readFields,
  readInstant,
  readInteger,
  readObject,
  readString,
  readStrings,
  requireDistinct,
  ValidationError,
  withDefault,
} from '../http/validation.ts'
import { isWithin } from './names.ts'
import { type DnsRecord, isProxiable } from './records/record.ts'
import type { StoreContents, Zone } from './store.ts'
import { isRange } from './tokens/condition.ts'
import { newTokenValue, type Policy, type Token, tokenOwners, tokenStatuses } from './tokens/token.ts'

/** Values for fields that a test omits. */
interface StateDefaults {
  readonly ids: SeededIds
  /** In RFC 3339. */
  readonly now: string
  readonly present: StoreContents
}

/** Reads a time and returns its text, which can be more precise than a Date. */
function readTime(value: unknown, where: string): string {
  readInstant(value, where)
  return readString(value, where)
}

function readZone(value: unknown, where: string, { ids, now }: StateDefaults): Zone {
  const given = readObject(value, where)
  const name = readString(given['name'], `${where}.name`).toLowerCase()
  return readFields({ ...given, name, id: given['id'] ?? ids.id() }, where, {
    id: readString,
    name: readString,
    status: withDefault('active', readString),
    nameServers: withDefault([`ns1.${name}`, `ns2.${name}`], readStrings),
    createdOn: withDefault(now, readTime),
  })
}

function readData(value: unknown, where: string): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(readObject(value, where)).map(([name, part]) => [
      name,
      typeof part === 'number' ? part : readString(part, `${where}.${name}`),
    ]),
  )
}

/**
 * Reads a record whose known fields have the right types. It can break the rules of the API: several CNAMEs, unknown
 * types, more fields.
 */
function readRecord(
  value: unknown,
  where: string,
  { ids, now }: Pick<StateDefaults, 'ids' | 'now'>,
): DnsRecord {
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
  // Known fields come first for their order, and last for their values.
  return { ...known, ...given, ...known }
}

/**
 * Reads fields that overwrite those of a record.
 * @throws ValidationError
 */
export function readRecordFields(value: unknown, where: string): JsonObject {
  const fields = readObject(value, where)
  const fixed = ['id', 'name'].find(name => Object.hasOwn(fields, name))
  if (fixed !== undefined) throw new ValidationError(`${where} cannot change "${fixed}".`)
  const whole = { type: 'A', name: 'a.example', content: '', ...fields }
  readRecord(whole, where, { ids: new SeededIds(0), now: '1970-01-01T00:00:00Z' })
  return fields
}

/** Reads the value of a resource in a policy: `*`, or the zones of an account. */
function readReach(value: unknown, where: string): string | Record<string, string> {
  if (typeof value === 'string') return value
  const zones = Object.entries(readObject(value, where))
  return Object.fromEntries(zones.map(([name, reach]) => [name, readString(reach, `${where}.${name}`)]))
}

function readResources(value: unknown, where: string): Policy['resources'] {
  const resources = Object.entries(readObject(value, where))
  return Object.fromEntries(resources.map(([name, reach]) => [name, readReach(reach, `${where}.${name}`)]))
}

function readRange(value: unknown, where: string): string {
  const range = readString(value, where)
  if (!isRange(range)) throw new ValidationError(`${where} must be an address in CIDR notation.`)
  return range
}

const addressFields = { in: optional(listOf(readRange)), not_in: optional(listOf(readRange)) }
const conditionFields = {
  request_ip: optional((value, where) => readFields(value, where, addressFields)),
}

const readGroup: Reader<{ readonly id: string }> = (value, where) => ({
  id: readString(readObject(value, where)['id'], `${where}.id`),
})

const policyFields = {
  id: optional(readString),
  effect: withDefault('allow', oneOf(['allow', 'deny'])),
  permission_groups: listOf(readGroup),
  resources: readResources,
}

function readToken(value: unknown, where: string, { ids, now }: StateDefaults): Token {
  const given = readObject(value, where)
  const byPrefix = String(given['value']).startsWith('cfat_') ? 'account' : 'user'
  const owner = oneOf(tokenOwners)(given['owner'] ?? byPrefix, `${where}.owner`)
  const made = { owner, id: given['id'] ?? ids.id(), value: given['value'] ?? newTokenValue(ids, owner) }
  return readFields({ ...given, ...made }, where, {
    id: readString,
    name: withDefault('unnamed', readString),
    value: readString,
    owner: oneOf(tokenOwners),
    status: withDefault('active', oneOf(tokenStatuses)),
    issuedOn: withDefault(now, readTime),
    modifiedOn: withDefault(now, readTime),
    condition: optional((condition, place) => readFields(condition, place, conditionFields)),
    expiresOn: optional(readTime),
    notBefore: optional(readTime),
    policies: withDefault(
      [],
      listOf((policy, place) => readFields(policy, place, policyFields)),
    ),
  })
}

function readZoneRecords(
  value: unknown,
  zones: readonly Zone[],
  zoneId: string,
  defaults: StateDefaults,
): DnsRecord[] {
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
 * Reads the collections in the body of `PUT /state`. Each replaces the current one; records are replaced by zone.
 * @throws ValidationError
 */
export function readContents(body: JsonObject, defaults: StateDefaults): Partial<StoreContents> {
  const readZones = optional(listOf((zone, where) => readZone(zone, where, defaults)))
  const zones = readZones(body['zones'], 'zones')
  requireDistinct(zones?.map(({ id }) => id) ?? [], 'The ids of zones')
  const allZones = zones ?? defaults.present.zones
  const records = Object.entries(readObject(body['records'] ?? {}, 'records')).map(
    ([zoneId, list]) => [zoneId, readZoneRecords(list, allZones, zoneId, defaults)] as const,
  )
  const readTokens = optional(listOf((token, where) => readToken(token, where, defaults)))
  const tokens = readTokens(body['tokens'], 'tokens')
  requireDistinct(tokens?.map(({ value }) => value) ?? [], 'The values of tokens')
  requireDistinct(tokens?.map(({ id }) => id) ?? [], 'The ids of tokens')
  return {
    ...(zones && { zones }),
    ...(records.length > 0 && { records: Object.fromEntries(records) }),
    ...(tokens && { tokens }),
  }
}
