import { isObject, type JsonObject } from '../../http/validation.ts'
import { type Refusal, refuse } from '../errors.ts'
import { isRange } from './condition.ts'
import { type Permission, permissionGroups, type Scope } from './permission-groups.ts'
import type { Condition, Policy, PolicyResources, Token } from './token.ts'

/** The fields of a token that a client sets. */
type TokenDraft = Pick<Token, 'name' | 'policies' | 'condition' | 'expiresOn' | 'notBefore'> & {
  readonly status?: 'active' | 'disabled' | 'expired'
}

const maxNameLength = 120

const invalid = (message: string): Refusal => refuse(400, 'tokens.invalid', { code: 1001, message })

/** A validation error, caught where the body is read. */
class Invalid extends Error {}

function readList(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new Invalid(`${field} must be a non-empty list`)
  return value
}

/** The formats of resource names, each with the scope of its permissions. Buckets are accepted by name only. */
const resourceNames: readonly [RegExp, Scope | 'com.cloudflare.edge.r2.bucket'][] = [
  [/^com\.cloudflare\.api\.account\.zone\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.account.zone'],
  [/^com\.cloudflare\.api\.account\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.account'],
  [/^com\.cloudflare\.api\.user\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.user'],
  [/^com\.cloudflare\.edge\.r2\.bucket\..+$/, 'com.cloudflare.edge.r2.bucket'],
]

function scopeOf(resource: string): string {
  const found = resourceNames.find(([pattern]) => pattern.test(resource))
  if (found === undefined) throw new Invalid(`"${resource}" is not a resource`)
  return found[1]
}

/** Returns the scopes of a policy's resources. An account with nested zones has the scope of zones. */
function scopesOf(resources: JsonObject): string[] {
  const entries = Object.entries(resources)
  if (entries.length === 0) throw new Invalid('resources must name at least one resource')
  return entries.map(([resource, reach]) => {
    const scope = scopeOf(resource)
    if (reach === '*') return scope
    if (!isObject(reach) || Object.keys(reach).length === 0 || scope !== 'com.cloudflare.api.account') {
      throw new Invalid(`The resource "${resource}" must be "*" or, for an account, its zones`)
    }
    const areZones = Object.entries(reach).every(
      ([inner, value]) => value === '*' && scopeOf(inner) === 'com.cloudflare.api.account.zone',
    )
    if (!areZones) throw new Invalid('Only zones can be nested in an account, each with "*"')
    return 'com.cloudflare.api.account.zone'
  })
}

function readGroup(value: unknown, scopes: readonly string[]): { id: string } {
  const id = isObject(value) ? value['id'] : null
  if (typeof id !== 'string') throw new Invalid('id must be present in every permission group')
  const group = Object.values(permissionGroups).find(known => known.id === id)
  if (group === undefined) throw new Invalid(`There is no permission group "${id}"`)
  if (!group.scopes.some(scope => scopes.includes(scope))) {
    throw new Invalid(`The permission group "${group.name}" does not fit the resources`)
  }
  return { id }
}

function readPolicy(value: unknown): Policy {
  if (!isObject(value)) throw new Invalid('A policy must be an object')
  const { effect, permission_groups, resources } = value
  if (effect !== 'allow' && effect !== 'deny') throw new Invalid('effect must be allow or deny')
  if (!isObject(resources)) throw new Invalid('resources must be an object')
  const scopes = scopesOf(resources)
  return {
    effect,
    permission_groups: readList(permission_groups, 'permission_groups').map(group =>
      readGroup(group, scopes),
    ),
    // Exactly as sent, because clients compare the text (API reference, API Tokens).
    resources: resources as PolicyResources,
  }
}

function readRanges(value: unknown, field: string): readonly string[] {
  const fits =
    Array.isArray(value) &&
    value.every((range): range is string => typeof range === 'string' && isRange(range))
  if (!fits) throw new Invalid(`${field} must be a list of addresses or CIDR ranges`)
  return value
}

function readCondition(value: unknown): Condition {
  if (!isObject(value)) throw new Invalid('condition must be an object')
  const address = value['request_ip'] ?? value['request.ip']
  if (address === undefined) return {}
  if (!isObject(address)) throw new Invalid('request_ip must be an object')
  return {
    request_ip: {
      ...(address['in'] == null ? {} : { in: readRanges(address['in'], 'in') }),
      ...(address['not_in'] == null ? {} : { not_in: readRanges(address['not_in'], 'not_in') }),
    },
  }
}

function readTime(value: unknown, field: string): string {
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ||
    Number.isNaN(Date.parse(value))
  ) {
    throw new Invalid(`${field} must be a date and time such as 2026-01-31T12:00:00Z`)
  }
  return value
}

function read(sent: JsonObject): TokenDraft {
  const { name, policies, condition, expires_on, not_before, status } = sent
  if (typeof name !== 'string' || name === '' || name.length > maxNameLength) {
    throw new Invalid(`name must have 1 to ${maxNameLength} characters`)
  }
  if (status !== undefined && status !== 'active' && status !== 'disabled' && status !== 'expired') {
    throw new Invalid('status must be active, disabled or expired')
  }
  return {
    name,
    policies: readList(policies, 'policies').map(readPolicy),
    ...(condition == null ? {} : { condition: readCondition(condition) }),
    ...(expires_on == null ? {} : { expiresOn: readTime(expires_on, 'expires_on') }),
    ...(not_before == null ? {} : { notBefore: readTime(not_before, 'not_before') }),
    ...(status === undefined ? {} : { status }),
  }
}

/** Validates the fields of a token. */
export function readTokenDraft(sent: JsonObject | null): TokenDraft | Refusal {
  if (sent === null) return invalid('The body must be a JSON object')
  try {
    return read(sent)
  } catch (error) {
    if (error instanceof Invalid) return invalid(error.message)
    throw error
  }
}

/** Returns the permissions that a policy grants on single zones, as pairs of zone id and permission. */
export function grantsOnZones({ effect, permission_groups, resources }: Policy): [string, Permission][] {
  if (effect === 'deny') return []
  const named = [
    ...Object.keys(resources),
    ...Object.values(resources).flatMap(reach => (typeof reach === 'string' ? [] : Object.keys(reach))),
  ]
  const zones = named.flatMap(name => /\.zone\.([0-9a-f]{32})$/.exec(name)?.[1] ?? [])
  const permissions = (Object.keys(permissionGroups) as Permission[]).filter(permission =>
    permission_groups.some(({ id }) => id === permissionGroups[permission].id),
  )
  return zones.flatMap(zone => permissions.map((permission): [string, Permission] => [zone, permission]))
}
