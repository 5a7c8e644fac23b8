/** The kinds of resources, by the prefix of their names. */
export type Scope =
  | 'com.cloudflare.api.account'
  | 'com.cloudflare.api.account.zone'
  | 'com.cloudflare.api.user'

/** A permission group in the format of the API. */
export interface PermissionGroup {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly category: 'dns_and_zones' | 'developer_platform' | 'account_and_billing' | 'other'
}

const groupOn =
  (scope: Scope) =>
  (id: string, name: string, category: PermissionGroup['category']): PermissionGroup => ({
    id,
    name,
    scopes: [scope],
    category,
  })
const ofZones = groupOn('com.cloudflare.api.account.zone')
const ofAccounts = groupOn('com.cloudflare.api.account')
const ofUsers = groupOn('com.cloudflare.api.user')

/** The supported permission groups. A Write group includes reading. */
export const permissionGroups = {
  dnsRead: ofZones('82e64a83756745bbbb1c9c2701bf816b', 'DNS Read', 'dns_and_zones'),
  dnsWrite: ofZones('4755a26eedb94da69e1066d98aa820be', 'DNS Write', 'dns_and_zones'),
  zoneRead: ofZones('c8fed203ed3043cba015a93ad1616f1f', 'Zone Read', 'dns_and_zones'),
  workersRoutesRead: ofZones('2072033d694d415a936eaeb94e6405b8', 'Workers Routes Read', 'developer_platform'),
  workersRoutesWrite: ofZones(
    '28f4b596e7d643029c524985477ae49a',
    'Workers Routes Write',
    'developer_platform',
  ),
  workersScriptsRead: ofAccounts(
    '1a71c399035b4950a1bd1466bbe4f420',
    'Workers Scripts Read',
    'developer_platform',
  ),
  workersScriptsWrite: ofAccounts(
    'e086da7e2179491d91ee5f35b3ca210a',
    'Workers Scripts Write',
    'developer_platform',
  ),
  d1Read: ofAccounts('192192df92ee43ac90f2aeeffce67e35', 'D1 Read', 'developer_platform'),
  d1Write: ofAccounts('09b2857d1c31407795e75e3fed8617a1', 'D1 Write', 'developer_platform'),
  accountTokensRead: ofAccounts(
    'eb56a6953c034b9d97dd838155666f06',
    'Account API Tokens Read',
    'account_and_billing',
  ),
  accountTokensWrite: ofAccounts(
    '5bc3f8b21c554832afc660159ab75fa4',
    'Account API Tokens Write',
    'account_and_billing',
  ),
  userTokensRead: ofUsers('0cc3a61731504c89b99ec1be78b77aa0', 'API Tokens Read', 'other'),
  userTokensWrite: ofUsers('686d18d5ac6c441c867cbf6771e58a0a', 'API Tokens Write', 'other'),
} as const satisfies Readonly<Record<string, PermissionGroup>>

export type Permission = keyof typeof permissionGroups

/** Returns a permission and the permission that includes it: for Read, also Write. */
export function sufficientPermissions(permission: Permission): readonly Permission[] {
  const writing = permission.replace(/Read$/, 'Write')
  const wider = (Object.keys(permissionGroups) as Permission[]).filter(name => name === writing)
  return wider.includes(permission) ? [permission] : [permission, ...wider]
}

/** Returns the permissions that can be granted on a kind of resource. */
export const permissionsOn = (scope: Scope): Permission[] =>
  (Object.keys(permissionGroups) as Permission[]).filter(name =>
    permissionGroups[name].scopes.some(one => one === scope),
  )
