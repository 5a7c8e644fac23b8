import { quoteValue } from '../../lib/quote.ts'

/** The token's only permission, as Cloudflare names it, with its documented id. */
export const dnsWrite = {
  name: 'DNS Write',
  scope: 'com.cloudflare.api.account.zone',
  id: '4755a26eedb94da69e1066d98aa820be',
} as const

/** The part of a permission group that this program uses. */
export interface PermissionGroup {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
}

/**
 * Returns the id of the permission to write DNS from Cloudflare's list. It is found by name and scope, because
 * Cloudflare does not promise stable ids, and compared with the known id, because the group with that name could change.
 * @throws Error unless there is exactly one, with the known id
 */
export function requireDnsWrite(groups: readonly PermissionGroup[]): string {
  const { name, scope, id } = dnsWrite
  const found = groups.filter(group => group.name === name && group.scopes.includes(scope))
  const [first] = found
  if (!first || found.length > 1) {
    throw new Error(
      `Cloudflare lists ${found.length} permission groups named ${name} for ${scope} instead of one. Check that mintingApiToken can read permission groups.`,
    )
  }
  if (first.id !== id) {
    throw new Error(
      `The permission group ${name} has the id ${quoteValue(first.id)} instead of ${id}. Compare both with Cloudflare's documentation, then change infra/resources/token-policy.ts.`,
    )
  }
  return first.id
}

/** What limits a token besides its permission. */
export interface TokenLimits {
  /** When it expires, `2030-01-01T00:00:00Z`; null or undefined for never. */
  readonly expiresOn?: string | null
  /** Ranges that may use it. Without any, every address can. */
  readonly allowedCidrs?: readonly string[]
}

/** Returns what the program declares for the token. @param name name at Cloudflare; no other token may have it */
export function tokenArguments<Id>(
  name: string,
  zoneId: string,
  { expiresOn = null, allowedCidrs = [] }: TokenLimits,
  groupId: Id,
) {
  // Compact JSON, because the provider compares it with Cloudflare's text.
  const resources = JSON.stringify({ [`${dnsWrite.scope}.${zoneId}`]: '*' })
  return {
    name,
    // Undeclared, a token that somebody disabled would not show as a change (seen with the real provider).
    status: 'active',
    // One policy with one permission: Cloudflare returns longer lists in an order of its own, which shows as a change.
    policies: [{ effect: 'allow', permissionGroups: [{ id: groupId }], resources }],
    ...(expiresOn === null ? {} : { expiresOn }),
    ...(allowedCidrs.length === 0 ? {} : { condition: { requestIp: { ins: [...allowedCidrs] } } }),
  }
}
