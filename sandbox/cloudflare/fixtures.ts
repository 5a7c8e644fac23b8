import { formatInstant } from '../http/clock.ts'
import type { SeededIds } from '../http/seeded-ids.ts'
import { makeRecord, type RecordDraft } from './records/record.ts'
import type { StoreContents, Zone } from './store.ts'
import { permissionsOn } from './tokens/permission-groups.ts'
import { allowOn, newTokenValue, type Token } from './tokens/token.ts'

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

const draft = (name: string, type: string, content: string): RecordDraft => ({
  name,
  type,
  content,
  proxied: false,
  ttl: 120,
  settings: {},
  comment: null,
  tags: [],
})

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
  const makeToken = (name: string, ...policies: Token['policies']): Token => ({
    id: ids.id(),
    name,
    value: newTokenValue(ids, 'user'),
    owner: 'user',
    status: 'active',
    issuedOn: now,
    modifiedOn: now,
    policies,
  })
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
  const record = (sketch: RecordDraft) => makeRecord(ids.id(), sketch, now)
  // Addresses for documentation (RFC 5737).
  const records = {
    [zone.id]: [
      record(draft(`home.${zoneName}`, 'A', '192.0.2.10')),
      record(draft(zoneName, 'TXT', 'v=spf1 -all')),
    ],
    [other.id]: [record(draft(`home.${otherZoneName}`, 'A', '192.0.2.20'))],
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
