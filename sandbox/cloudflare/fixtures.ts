import { formatInstant } from '../http/clock.ts'
import type { SeededIds } from '../http/seeded-ids.ts'
import { makeRecord, plainFields } from './records/record.ts'
import { tokenOf } from './state.ts'
import type { StoreContents, Zone } from './store.ts'
import { permissionsOn } from './tokens/permission-groups.ts'
import { allowOn, type Token } from './tokens/token.ts'

/** The initial contents of a sandbox, and those that its description names. */
interface Fixtures {
  readonly contents: StoreContents
  readonly accountId: string
  readonly userId: string
  readonly zone: Zone
  readonly admin: Token
  readonly dns: Token
}

/** The zone that the scoped token can change. */
const zoneName = 'example.com'
/** A zone that the scoped token cannot access. */
const otherZoneName = 'other.example'

/**
 * Creates the zones, records and tokens of a new sandbox.
 * @param nowMs their creation time, in milliseconds since 1970
 */
export function makeFixtures(ids: SeededIds, nowMs: number): Fixtures {
  const now = formatInstant(nowMs)
  const makeZone = (name: string): Zone => ({
    id: ids.id(),
    name,
    status: 'active',
    nameServers: [`ns1.${name}`, `ns2.${name}`],
    createdOn: now,
  })
  const makeToken = (name: string, ...policies: Token['policies']) =>
    tokenOf({ name, policies }, { ids, now })
  const accountId = ids.id()
  const zone = makeZone(zoneName)
  const other = makeZone(otherZoneName)
  const admin = makeToken(
    'admin',
    allowOn(['zone', '*'], ...permissionsOn('com.cloudflare.api.account.zone')),
    allowOn(['account', '*'], ...permissionsOn('com.cloudflare.api.account')),
    allowOn(['user', '*'], ...permissionsOn('com.cloudflare.api.user')),
  )
  const dns = makeToken('dns', allowOn(['zone', zone.id], 'dnsWrite'))
  const record = (name: string, type: string, content: string) =>
    makeRecord(ids.id(), { ...plainFields, name, type, content, ttl: 120 }, now)
  // Addresses for documentation (RFC 5737).
  const records = {
    [zone.id]: [record(`home.${zoneName}`, 'A', '192.0.2.10'), record(zoneName, 'TXT', 'v=spf1 -all')],
    [other.id]: [record(`home.${otherZoneName}`, 'A', '192.0.2.20')],
  }
  const userId = ids.id()
  return {
    contents: { zones: [zone, other], records, tokens: [admin, dns] },
    accountId,
    userId,
    zone,
    admin,
    dns,
  }
}
