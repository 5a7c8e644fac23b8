import type { SeededIds } from '../../http/seeded-ids.ts'
import { type Permission, permissionGroups, sufficientPermissions } from './permission-groups.ts'

/** The resources of a policy, by name. The value is `*`. */
export type PolicyResources = Readonly<Record<string, string>>

/** A policy in the format of the API. Here, none denies, and no account has nested zones. */
export interface Policy {
  readonly id?: string
  readonly effect: 'allow'
  readonly permission_groups: readonly { readonly id: string }[]
  readonly resources: PolicyResources
}

/** The addresses from which a token can be used, in CIDR notation. */
export interface Condition {
  readonly request_ip: { readonly in: readonly string[] }
}

/** A stored token, with its value. */
export interface Token {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly owner: 'user' | 'account'
  readonly status: 'active' | 'disabled' | 'expired'
  /** In RFC 3339. */
  readonly issuedOn: string
  /** In RFC 3339. */
  readonly modifiedOn: string
  readonly condition?: Condition
  /** In RFC 3339. */
  readonly expiresOn?: string
  readonly policies: readonly Policy[]
}

/**
 * Returns a token value in the scannable format: the prefix of a user's or an account's token, 40 characters, and 8
 * hexadecimal digits where the checksum belongs. The characters begin with `sandbox`, which says where the token is valid.
 */
export function newTokenValue(ids: SeededIds, owner: Token['owner']): string {
  const prefix = owner === 'user' ? 'cfut' : 'cfat'
  return `${prefix}_sandbox${ids.text(33)}${ids.id().slice(0, 8)}`
}

/** A resource that a permission can be granted on. */
export type PermissionTarget =
  | { readonly on: 'zone'; readonly zone: string }
  | { readonly on: 'account'; readonly account: string }
  | { readonly on: 'user'; readonly user: string }

const account = (id: string): string => `com.cloudflare.api.account.${id}`
const zone = (id: string): string => `com.cloudflare.api.account.zone.${id}`
const user = (id: string): string => `com.cloudflare.api.user.${id}`

/** Returns a policy that grants permissions on a zone, or on all zones with `*`. */
export const allowOn = (zoneId: string, ...permissions: readonly Permission[]): Policy =>
  allow(zone(zoneId), permissions)

/** Returns a policy that grants permissions on an account, or on all accounts with `*`. */
export const allowOnAccount = (accountId: string, ...permissions: readonly Permission[]): Policy =>
  allow(account(accountId), permissions)

/** Returns a policy that grants permissions on a user. */
export const allowOnUser = (userId: string, ...permissions: readonly Permission[]): Policy =>
  allow(user(userId), permissions)

const allow = (resource: string, permissions: readonly Permission[]): Policy => ({
  effect: 'allow',
  permission_groups: permissions.map(permission => ({ id: permissionGroups[permission].id })),
  resources: { [resource]: '*' },
})

function reaches({ resources }: Policy, target: PermissionTarget): boolean {
  const granted = (name: (id: string) => string, id: string) =>
    [id, '*'].some(one => resources[name(one)] === '*')
  switch (target.on) {
    case 'zone':
      return granted(zone, target.zone)
    case 'account':
      return granted(account, target.account)
    case 'user':
      return granted(user, target.user)
  }
}

const names = (policy: Policy, permissions: readonly Permission[]): boolean =>
  policy.permission_groups.some(({ id }) =>
    permissions.some(permission => permissionGroups[permission].id === id),
  )

/** Whether a token grants a permission on a target; the zone `*` means all zones. Write permissions include reading. */
export const allows = (token: Token, permission: Permission, target: PermissionTarget): boolean =>
  token.policies.some(policy => names(policy, sufficientPermissions(permission)) && reaches(policy, target))

/** Returns the status of a token at a time in milliseconds since 1970. A token past `expiresOn` is expired. */
export const statusAt = (token: Token, nowMs: number): Token['status'] =>
  token.status === 'active' && token.expiresOn !== undefined && nowMs >= Date.parse(token.expiresOn)
    ? 'expired'
    : token.status

/** Whether a token can be used at a time in milliseconds since 1970. */
export const isUsable = (token: Token, nowMs: number): boolean => statusAt(token, nowMs) === 'active'
