import { isObject, type JsonObject } from '../../http/validation.ts'
import { refuse } from '../errors.ts'
import { isRange } from './condition.ts'
import { type Permission, permissionGroups, type Scope } from './permission-groups.ts'
import type { Condition, Policy, PolicyResources, Token } from './token.ts'

/** The fields of a token that a client sets. */
type TokenDraft = Pick<Token, 'name' | 'policies' | 'condition' | 'expiresOn'> & {
  readonly status?: 'active' | 'disabled' | 'expired'
}

const maxNameLength = 120

function invalid(message: string): never {
  // assumed: A request with an invalid token gets 400 with code 1001 and the reason. [the code was seen for two other mistakes
  // in tokens]
  throw refuse(400, { code: 1001, message })
}

/** Reads a list that must not be empty. */
function readList<T>(value: unknown, field: string, read: (element: unknown) => T): T[] {
  return Array.isArray(value) && value.length > 0
    ? value.map(read)
    : invalid(`${field} must be a non-empty list`)
}

/** The formats of resource names, each with the scope of its permissions. */
const resourceNames: readonly [RegExp, Scope][] = [
  [/^com\.cloudflare\.api\.account\.zone\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.account.zone'],
  [/^com\.cloudflare\.api\.account\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.account'],
  [/^com\.cloudflare\.api\.user\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.user'],
]

/** Returns the scope of a resource, which must be named whole. */
function scopeOf([resource, reach]: readonly [string, unknown]): Scope {
  const found = resourceNames.find(([pattern]) => pattern.test(resource))
  if (found === undefined) return invalid(`"${resource}" is not a resource`)
  return reach === '*' ? found[1] : invalid(`The resource "${resource}" must be "*"`)
}

function readGroup(value: unknown, scopes: readonly string[]): { id: string } {
  const id = isObject(value) ? value['id'] : null
  if (typeof id !== 'string') return invalid('id must be present in every permission group')
  const group = Object.values(permissionGroups).find(known => known.id === id)
  if (group === undefined) return invalid(`There is no permission group "${id}"`)
  return group.scopes.some(scope => scopes.includes(scope))
    ? { id }
    : invalid(`The permission group "${group.name}" does not fit the resources`)
}

function readPolicy(value: unknown): Policy {
  if (!isObject(value)) return invalid('A policy must be an object')
  const { effect, permission_groups, resources } = value
  if (effect !== 'allow') return invalid('effect must be allow')
  if (!isObject(resources)) return invalid('resources must be an object')
  const entries = Object.entries(resources)
  if (entries.length === 0) return invalid('resources must name at least one resource')
  const scopes = entries.map(scopeOf)
  const groups = readList(permission_groups, 'permission_groups', group => readGroup(group, scopes))
  // The resources are exactly as sent, because clients compare the text (API reference, API Tokens).
  return { effect, permission_groups: groups, resources: resources as PolicyResources }
}

/** Reads a condition that can be left out: the ranges that may use the token. */
function readCondition(value: unknown): Condition | null {
  if (value == null) return null
  const address = isObject(value) ? value['request_ip'] : null
  const ranges = isObject(address) ? address['in'] : null
  const fits =
    Array.isArray(ranges) && ranges.every((one): one is string => typeof one === 'string' && isRange(one))
  return fits ? { request_ip: { in: ranges } } : invalid('in must be a list of addresses or CIDR ranges')
}

/** Reads a time that can be left out. */
function readTime(value: unknown, field: string): string | null {
  if (value == null) return null
  const fits =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) &&
    !Number.isNaN(Date.parse(value))
  return fits ? value : invalid(`${field} must be a date and time such as 2026-01-31T12:00:00Z`)
}

/** Validates the fields of a token. */
export function readTokenDraft(sent: JsonObject | null): TokenDraft {
  if (sent === null) return invalid('The body must be a JSON object')
  const { name, status } = sent
  if (typeof name !== 'string' || name === '' || name.length > maxNameLength) {
    return invalid(`name must have 1 to ${maxNameLength} characters`)
  }
  if (status !== undefined && status !== 'active' && status !== 'disabled' && status !== 'expired') {
    return invalid('status must be active, disabled or expired')
  }
  const policies = readList(sent['policies'], 'policies', readPolicy)
  const condition = readCondition(sent['condition'])
  const expiresOn = readTime(sent['expires_on'], 'expires_on')
  return {
    name,
    policies,
    ...(condition === null ? {} : { condition }),
    ...(expiresOn === null ? {} : { expiresOn }),
    ...(status === undefined ? {} : { status }),
  }
}

/** Returns the permissions that a policy grants on single zones, as pairs of zone id and permission. */
export function grantsOnZones({ permission_groups, resources }: Policy): [string, Permission][] {
  const zones = Object.keys(resources).flatMap(name => /\.zone\.([0-9a-f]{32})$/.exec(name)?.[1] ?? [])
  const permissions = (Object.keys(permissionGroups) as Permission[]).filter(permission =>
    permission_groups.some(({ id }) => id === permissionGroups[permission].id),
  )
  return zones.flatMap(zone => permissions.map((permission): [string, Permission] => [zone, permission]))
}
