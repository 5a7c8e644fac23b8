import { isObject, type JsonObject } from '../../http/validation.ts'
import { type Refusal, refuse } from '../errors.ts'
import { isRange } from './condition.ts'
import { type Permission, permissionGroups, type Scope } from './permission-groups.ts'
import type { Condition, Policy, Resources, Token } from './token.ts'

/** What a client decides of a token. */
export type TokenDraft = Pick<Token, 'name' | 'policies' | 'condition' | 'expiresOn' | 'notBefore'> & {
  readonly status?: 'active' | 'disabled' | 'expired'
}

const longestName = 120

const invalid = (message: string): Refusal => refuse(400, 'tokens.invalid', { code: 1001, message })

/** The message of what is wrong, thrown to where a body is read. */
class Wrong extends Error {}

const readList = (value: unknown, what: string): readonly unknown[] => {
  if (!Array.isArray(value) || value.length === 0) throw new Wrong(`${what} must be a list with an element`)
  return value
}

/** A resource's name and the scope of the permissions that fit it; a bucket is known by its name alone. */
const resourceNames: readonly [RegExp, Scope | 'com.cloudflare.edge.r2.bucket'][] = [
  [/^com\.cloudflare\.api\.account\.zone\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.account.zone'],
  [/^com\.cloudflare\.api\.account\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.account'],
  [/^com\.cloudflare\.api\.user\.([0-9a-f]{32}|\*)$/, 'com.cloudflare.api.user'],
  [/^com\.cloudflare\.edge\.r2\.bucket\..+$/, 'com.cloudflare.edge.r2.bucket'],
]

const scopeOf = (resource: string): string => {
  const found = resourceNames.find(([pattern]) => pattern.test(resource))
  if (found === undefined) throw new Wrong(`"${resource}" is not a resource`)
  return found[1]
}

/** The scopes that a policy's resources have; an account that holds zones has that of zones. */
const scopesOf = (resources: JsonObject): string[] => {
  const entries = Object.entries(resources)
  if (entries.length === 0) throw new Wrong('resources must name one')
  return entries.map(([resource, reach]) => {
    if (reach === '*') return scopeOf(resource)
    if (!isObject(reach) || scopeOf(resource) !== 'com.cloudflare.api.account') {
      throw new Wrong(`The resource "${resource}" must be "*" or, for an account, its zones`)
    }
    const inner = scopesOf(reach)
    if (inner.some(scope => scope !== 'com.cloudflare.api.account.zone')) {
      throw new Wrong('An account can hold zones and nothing else')
    }
    return 'com.cloudflare.api.account.zone'
  })
}

const readGroup = (value: unknown, scopes: readonly string[]): { id: string } => {
  const id = isObject(value) ? value['id'] : undefined
  if (typeof id !== 'string') throw new Wrong('id must be present in every permission group')
  const group = Object.values(permissionGroups).find(known => known.id === id)
  if (group === undefined) throw new Wrong(`There is no permission group "${id}"`)
  if (!group.scopes.some(scope => scopes.includes(scope))) {
    throw new Wrong(`The permission group "${group.name}" does not fit the resources`)
  }
  return { id }
}

const readPolicy = (value: unknown): Policy => {
  if (!isObject(value)) throw new Wrong('A policy must be an object')
  const { effect, permission_groups, resources } = value
  if (effect !== 'allow' && effect !== 'deny') throw new Wrong('effect must be allow or deny')
  if (!isObject(resources)) throw new Wrong('resources must be an object')
  const scopes = scopesOf(resources)
  return {
    effect,
    permission_groups: readList(permission_groups, 'permission_groups').map(group =>
      readGroup(group, scopes),
    ),
    // As sent: clients compare the text that they get back with the one that they sent.
    resources: resources as Resources,
  }
}

const readRanges = (value: unknown, what: string): readonly string[] => {
  const fits =
    Array.isArray(value) &&
    value.every((range): range is string => typeof range === 'string' && isRange(range))
  if (!fits) throw new Wrong(`${what} must be a list of addresses in CIDR notation`)
  return value
}

const readCondition = (value: unknown): Condition => {
  if (!isObject(value)) throw new Wrong('condition must be an object')
  const address = value['request_ip'] ?? value['request.ip']
  if (address === undefined) return {}
  if (!isObject(address)) throw new Wrong('request_ip must be an object')
  return {
    request_ip: {
      ...(address['in'] == null ? {} : { in: readRanges(address['in'], 'in') }),
      ...(address['not_in'] == null ? {} : { not_in: readRanges(address['not_in'], 'not_in') }),
    },
  }
}

const readInstant = (value: unknown, what: string): string => {
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ||
    Number.isNaN(Date.parse(value))
  ) {
    throw new Wrong(`${what} must be an instant such as 2026-01-31T12:00:00Z`)
  }
  return value
}

const read = (sent: JsonObject): TokenDraft => {
  const { name, policies, condition, expires_on, not_before, status } = sent
  if (typeof name !== 'string' || name === '' || name.length > longestName) {
    throw new Wrong(`name must have 1 to ${longestName} characters`)
  }
  if (status !== undefined && status !== 'active' && status !== 'disabled' && status !== 'expired') {
    throw new Wrong('status must be active, disabled or expired')
  }
  return {
    name,
    policies: readList(policies, 'policies').map(readPolicy),
    ...(condition == null ? {} : { condition: readCondition(condition) }),
    ...(expires_on == null ? {} : { expiresOn: readInstant(expires_on, 'expires_on') }),
    ...(not_before == null ? {} : { notBefore: readInstant(not_before, 'not_before') }),
    ...(status === undefined ? {} : { status }),
  }
}

/** Reads what a client wants a token to be. */
export const readTokenDraft = (sent: JsonObject | undefined): { draft: TokenDraft } | Refusal => {
  if (sent === undefined) return invalid('The body must be a JSON object')
  try {
    return { draft: read(sent) }
  } catch (error) {
    if (error instanceof Wrong) return invalid(error.message)
    throw error
  }
}

/** The zones that a policy names one by one, and the permissions that it grants there. */
export const grantsOnZones = ({ effect, permission_groups, resources }: Policy): [string, Permission][] => {
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
