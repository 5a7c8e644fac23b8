import { domainToASCII, domainToUnicode } from 'node:url'
import { accountName } from '../accounts/resource.ts'
import { type Outcome, success } from '../envelope.ts'
import { refuse } from '../errors.ts'
import { pageOf } from '../paging.ts'
import type { Call, Route, ZoneCall } from '../route.ts'
import type { Zone } from '../store.ts'
import type { Permission } from '../tokens/permission-groups.ts'
import { allows } from '../tokens/token.ts'

const pageSize = { default: 20, max: 50, capped: true } as const

/** The free plan, as shown in a zone. */
const plan = {
  id: '0feeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  name: 'Free Website',
  price: 0,
  currency: 'USD',
  frequency: '',
  is_subscribed: false,
  can_subscribe: false,
  legacy_id: 'free',
  legacy_discount: false,
  externally_managed: false,
}

const meta = {
  step: 2,
  custom_certificate_quota: 0,
  page_rule_quota: 3,
  phishing_detected: false,
}

/** Returns a zone as served. Its name is in Unicode, unlike the names of records (cloudflare-go issue 688). */
export const zoneView = ({ id, name, status, nameServers, createdOn }: Zone, accountId: string) => ({
  id,
  name: domainToUnicode(name),
  status,
  paused: false,
  type: 'full' as const,
  development_mode: 0,
  name_servers: [...nameServers],
  original_name_servers: null,
  original_registrar: null,
  original_dnshost: null,
  modified_on: createdOn,
  created_on: createdOn,
  activated_on: status === 'active' || status === 'moved' ? createdOn : null,
  vanity_name_servers: [] as string[],
  vanity_name_servers_ips: null,
  meta,
  owner: { id: null, type: 'user', email: null },
  account: { id: accountId, name: accountName },
  tenant: { id: null, name: null },
  tenant_unit: { id: null },
  permissions: ['#dns_records:edit', '#dns_records:read', '#zone:read'],
  plan,
})

type View = ReturnType<typeof zoneView>

/** Tests the name of a zone. A trailing dot is ignored, because libdns sends one. */
function nameTest(sent: string): (zone: View) => boolean {
  const wanted = sent.replace(/\.$/, '').toLowerCase()
  return ({ name }) => name.toLowerCase() === wanted || domainToASCII(name).toLowerCase() === wanted
}

/** Filters zones by a query. */
function select(zones: readonly View[], query: URLSearchParams): View[] {
  const [name, status, account] = ['name', 'status', 'account.id'].map(field => query.get(field) ?? null)
  // observed: A per_page above 50 is treated as 50, and a trailing dot of a name is ignored. [lexicon, which sends per_page=100,
  // and libdns, which sends the dot, report success in 2026]
  // documented: Zones can be filtered by account.id. [API reference, Zones; octoDNS sends it]
  const isNamed = name == null ? () => true : nameTest(name)
  return zones.filter(
    zone =>
      isNamed(zone) &&
      (status == null || zone.status === status) &&
      (account == null || zone.account.id === account),
  )
}

/** Handles GET /zones. Returns the zones that the token can access. */
function listZones({ parts: { store, accountId }, token, query }: Call): Outcome {
  // documented: Zones are listed by name and status, 20 per page and at most 50, with names in Unicode. Plan, meta, owner and
  // permissions are placeholders, and tenant and vanity name servers are empty. [API reference, Zones; names in cloudflare-go
  // issue 688; the other fields in recordings of dns-lexicon, 2025-08]
  const may = (permission: Permission, zone: string) =>
    allows(token, permission, { on: 'zone', account: accountId, zone })
  const name = query.get('name')
  if (name === null && !may('zoneRead', '*')) {
    // observed: Listing zones without a name requires Zone Read on all zones. With any other token, the request gets 403 with
    // code 0. [NewFuture/DDNS issue 155, 2020]
    return refuse(403, {
      code: 0,
      message: `Actor 'com.cloudflare.api.token.${token.id}' requires permission 'com.cloudflare.api.account.zone.list' to list zones`,
    })
  }
  // assumed: A token for one zone can find that zone by name. [godns PR 83 and pfsense saw this; ddclient PR 834 saw 403]
  const zones = store
    .zones()
    .filter(({ id }) => may('zoneRead', id) || may('dnsRead', id))
    .map(zone => zoneView(zone, accountId))
  return pageOf(select(zones, query), query, pageSize)
}

/** Handles GET /zones/{id}. */
function getZone({ parts: { accountId }, zone }: ZoneCall): Outcome {
  // documented: GET returns one zone. [API reference, Zones]
  return success(zoneView(zone, accountId))
}

export const zoneRoutes: readonly Route[] = [
  { method: 'GET', pattern: '/zones', on: 'self', handle: listZones },
  {
    method: 'GET',
    pattern: '/zones/:zone',
    on: 'zone',
    requires: 'zoneRead',
    or: 'dnsRead',
    handle: getZone,
  },
]
