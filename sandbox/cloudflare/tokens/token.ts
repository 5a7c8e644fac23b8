import type { SeededIds } from '../../http/seeded-ids.ts'
import { type Permission, permissionGroups, type Scope, sufficientPermissions } from './permission-groups.ts'

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

/** The resources that a permission can be granted on, by the beginnings of their names. */
const scopes = {
  zone: 'com.cloudflare.api.account.zone',
  account: 'com.cloudflare.api.account',
  user: 'com.cloudflare.api.user',
} as const satisfies Readonly<Record<string, Scope>>

/** One resource, or with the id `*` all of a kind. */
export type PermissionTarget = readonly [on: keyof typeof scopes, id: string]

const nameOf = ([on, id]: PermissionTarget): string => `${scopes[on]}.${id}`

/** Returns a policy that grants permissions on a resource. */
export const allowOn = (target: PermissionTarget, ...permissions: readonly Permission[]): Policy => ({
  effect: 'allow',
  permission_groups: permissions.map(permission => ({ id: permissionGroups[permission].id })),
  resources: { [nameOf(target)]: '*' },
})

const reaches = ({ resources }: Policy, [on, id]: PermissionTarget): boolean =>
  [id, '*'].some(one => resources[nameOf([on, one])] === '*')

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
