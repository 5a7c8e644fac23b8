import type { Input } from '@pulumi/pulumi'

/** The one permission the token has, as the service names it, and the id it has been known by. */
export const dnsWrite = {
  name: 'DNS Write',
  scope: 'com.cloudflare.api.account.zone',
  id: '4755a26eedb94da69e1066d98aa820be',
} as const

/** What is used of a permission group as the service lists it. */
export interface PermissionGroup {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
}

/**
 * The id of the permission to write DNS, out of the list that the service gave. Found by name and scope, because the
 * service does not promise its ids; held against the known one, because a name alone could be made to mean more.
 * @throws Error when there is not exactly one, or it is not the one that was known
 */
export function requireDnsWrite(groups: readonly PermissionGroup[]): string {
  const { name, scope, id } = dnsWrite
  const found = groups.filter(group => group.name === name && group.scopes.includes(scope))
  const [first] = found
  if (!first || found.length > 1) {
    throw new Error(
      `The service lists ${found.length} permission groups named ${name} for ${scope}, and one is needed. Check that mintingApiToken may read permission groups.`,
    )
  }
  if (first.id !== id) {
    throw new Error(
      `The permission group ${name} has the id ${first.id}, and ${id} was known. Compare both with the service's documentation, then change infra/token-policy.ts.`,
    )
  }
  return first.id
}

/** How the service names a zone as something to be permitted on. */
export function zoneResource(zoneId: string): string {
  return `${dnsWrite.scope}.${zoneId}`
}

/**
 * One policy, one permission, one zone. Lists of one: the service gives longer ones back in an order of its own, which
 * reads as a change. `resources` is compact JSON text, compared with the service's by its characters.
 */
export function policyForZone(zoneId: string, groupId: Input<string>) {
  return {
    effect: 'allow',
    permissionGroups: [{ id: groupId }],
    resources: JSON.stringify({ [zoneResource(zoneId)]: '*' }),
  }
}
