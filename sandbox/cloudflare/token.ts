/** What a policy can grant, by the identifier of its permission group at the service. */
export const permissionGroups = {
  dnsWrite: '4755a26eedb94da69e1066d98aa820be',
  dnsRead: '82e64a83756745bbbb1c9c2701bf816b',
  zoneRead: 'c8fed203ed3043cba015a93ad1616f1f',
} as const

export type Permission = keyof typeof permissionGroups

/** A policy in the form in which the service's token endpoints write it. */
export type Policy = {
  readonly effect: 'allow'
  readonly permission_groups: readonly { readonly id: string }[]
  /** `com.cloudflare.api.account.zone.<zone id>`, or `.*` for all zones, each with the value `*`. */
  readonly resources: Readonly<Record<string, string>>
}

export const tokenStatuses = ['active', 'disabled', 'expired', 'revoked'] as const

export type Token = {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly status: (typeof tokenStatuses)[number]
  /** RFC 3339 */
  readonly expiresOn?: string
  /** RFC 3339 */
  readonly notBefore?: string
  readonly policies: readonly Policy[]
}

const zoneResource = (zone: string): string => `com.cloudflare.api.account.zone.${zone}`

/** A policy that grants permissions on one zone, or on all with `*`. */
export const allowOn = (zone: string, ...permissions: readonly Permission[]): Policy => ({
  effect: 'allow',
  permission_groups: permissions.map(permission => ({ id: permissionGroups[permission] })),
  resources: { [zoneResource(zone)]: '*' },
})

const grants = (policy: Policy, permission: Permission): boolean =>
  policy.permission_groups.some(
    ({ id }) =>
      id === permissionGroups[permission] || (permission === 'dnsRead' && id === permissionGroups.dnsWrite),
  )

/** Whether a token may do something to a zone (its id; `*` asks about all zones). Writing includes reading. */
export const allows = (token: Token, permission: Permission, zone: string): boolean =>
  token.policies.some(
    policy =>
      grants(policy, permission) &&
      (policy.resources[zoneResource(zone)] === '*' || policy.resources[zoneResource('*')] === '*'),
  )

/** Whether a token can be used at an instant (milliseconds since 1970). */
export const isUsable = (token: Token, nowMs: number): boolean =>
  token.status === 'active' &&
  (token.expiresOn === undefined || nowMs < Date.parse(token.expiresOn)) &&
  (token.notBefore === undefined || nowMs >= Date.parse(token.notBefore))
