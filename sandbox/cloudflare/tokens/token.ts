import type { SeededIds } from '../../http/seeded-ids.ts'
import { including, type Permission, permissionGroups } from './permission-groups.ts'

/** What a policy reaches: the name of a resource with `*`, or an account with the zones in it. */
export type Resources = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** A policy in the form in which the service's token endpoints write it. */
export type Policy = {
  readonly id?: string
  readonly effect: 'allow' | 'deny'
  readonly permission_groups: readonly { readonly id: string }[]
  readonly resources: Resources
}

export const tokenStatuses = ['active', 'disabled', 'expired', 'revoked'] as const

/** Whose a token is: a user's reaches what the user may, an account's belongs to no person. */
export const tokenOwners = ['user', 'account'] as const

/** From where a token may be used, in CIDR notation. */
export type Condition = {
  readonly request_ip?: { readonly in?: readonly string[]; readonly not_in?: readonly string[] }
}

export type Token = {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly owner: (typeof tokenOwners)[number]
  readonly status: (typeof tokenStatuses)[number]
  /** RFC 3339 */
  readonly issuedOn: string
  /** RFC 3339 */
  readonly modifiedOn: string
  readonly condition?: Condition
  /** RFC 3339 */
  readonly expiresOn?: string
  /** RFC 3339 */
  readonly notBefore?: string
  readonly policies: readonly Policy[]
}

/**
 * Returns a token value in the scannable format: the prefix of a user's or an account's token, 40 characters, and 8
 * hexadecimal digits where the checksum belongs.
 */
export function newTokenValue(ids: SeededIds, owner: Token['owner']): string {
  const prefix = owner === 'user' ? 'cfut' : 'cfat'
  return `${prefix}_${ids.text(40)}${ids.id().slice(0, 8)}`
}

/** Something that a permission can be granted on. */
export type Target =
  | { readonly on: 'zone'; readonly account: string; readonly zone: string }
  | { readonly on: 'account'; readonly account: string }
  | { readonly on: 'user'; readonly user: string }

const account = (id: string): string => `com.cloudflare.api.account.${id}`
const zone = (id: string): string => `com.cloudflare.api.account.zone.${id}`
const user = (id: string): string => `com.cloudflare.api.user.${id}`

/** A policy that grants permissions on one zone, or on all with `*`. */
export const allowOn = (zoneId: string, ...permissions: readonly Permission[]): Policy =>
  allow(zone(zoneId), permissions)

/** A policy that grants permissions on one account, or on all with `*`. */
export const allowOnAccount = (accountId: string, ...permissions: readonly Permission[]): Policy =>
  allow(account(accountId), permissions)

/** A policy that grants a user permissions on what is the user's own. */
export const allowOnUser = (userId: string, ...permissions: readonly Permission[]): Policy =>
  allow(user(userId), permissions)

const allow = (resource: string, permissions: readonly Permission[]): Policy => ({
  effect: 'allow',
  permission_groups: permissions.map(permission => ({ id: permissionGroups[permission].id })),
  resources: { [resource]: '*' },
})

const reachesZone = (resources: Resources, zoneIds: readonly string[], accountId: string): boolean =>
  zoneIds.some(
    zoneId =>
      resources[zone(zoneId)] === '*' ||
      [accountId, '*'].some(id => {
        const nested = resources[account(id)]
        return typeof nested === 'object' && nested[zone(zoneId)] === '*'
      }),
  )

const reaches = ({ resources }: Policy, target: Target): boolean => {
  switch (target.on) {
    case 'zone':
      return reachesZone(resources, [target.zone, '*'], target.account)
    case 'account':
      return [target.account, '*'].some(id => resources[account(id)] === '*')
    case 'user':
      return [target.user, '*'].some(id => resources[user(id)] === '*')
  }
}

const names = (policy: Policy, permissions: readonly Permission[]): boolean =>
  policy.permission_groups.some(({ id }) =>
    permissions.some(permission => permissionGroups[permission].id === id),
  )

/**
 * Whether a token may do something to a target; `*` as a zone asks about all zones. Writing includes reading. What one
 * policy denies no other allows.
 */
export const allows = (token: Token, permission: Permission, target: Target): boolean =>
  token.policies.some(
    policy => policy.effect === 'allow' && names(policy, including(permission)) && reaches(policy, target),
  ) &&
  !token.policies.some(
    policy => policy.effect === 'deny' && names(policy, [permission]) && reaches(policy, target),
  )

/** Whether a policy does more than allow something on resources that it names flatly. */
export const isElaborate = ({ effect, resources }: Policy): boolean =>
  effect === 'deny' || Object.values(resources).some(reach => reach !== '*')

/** What a token's status is at an instant (milliseconds since 1970): one that has reached its end is expired. */
export const statusAt = (token: Token, nowMs: number): Token['status'] =>
  token.status === 'active' && token.expiresOn !== undefined && nowMs >= Date.parse(token.expiresOn)
    ? 'expired'
    : token.status

/** Whether a token can be used at an instant (milliseconds since 1970). */
export const isUsable = (token: Token, nowMs: number): boolean =>
  statusAt(token, nowMs) === 'active' &&
  (token.notBefore === undefined || nowMs >= Date.parse(token.notBefore))
