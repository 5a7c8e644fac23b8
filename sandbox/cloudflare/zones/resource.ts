import { domainToASCII, domainToUnicode } from 'node:url'
import { type Outcome, success } from '../envelope.ts'
import { refuse } from '../errors.ts'
import { pageOf } from '../paging.ts'
import type { Call, ZoneCall } from '../route.ts'
import type { Zone } from '../store.ts'
import type { Permission } from '../tokens/permission-groups.ts'
import { allows } from '../tokens/token.ts'

const pageSize = { default: 20, max: 50 }

/** Returns a zone as served. Its name is in Unicode, unlike the names of records (cloudflare-go issue 688). */
const zoneView = ({ id, name, status, nameServers, createdOn }: Zone, accountId: string) => ({
  id,
  name: domainToUnicode(name),
  status,
  paused: false,
  type: 'full' as const,
  name_servers: [...nameServers],
  created_on: createdOn,
  modified_on: createdOn,
  account: { id: accountId, name: 'Sandbox' },
})

type View = ReturnType<typeof zoneView>

/** Whether a zone has a name, in Unicode or in ASCII. */
const isNamed = ({ name }: View, wanted: string): boolean =>
  [name, domainToASCII(name)].some(one => one.toLowerCase() === wanted.toLowerCase())

/** Handles GET /zones. Returns the zones that the token can access. */
export function listZones({ parts: { store, accountId }, token, query }: Call): Outcome {
  // documented: Zones are listed by name, 20 per page and at most 50, with names in Unicode. Here they have the fields that
  // Homeport reads. [API reference, Zones; names in cloudflare-go issue 688]
  const may = (permission: Permission, zone: string) => allows(token, permission, ['zone', zone])
  const name = query.get('name')
  if (name === null && !may('zoneRead', '*')) {
    // observed: Listing zones without a name requires Zone Read on all zones. With any other token, the request gets 403 with
    // code 0. [NewFuture/DDNS issue 155, 2020]
    throw refuse(403, {
      code: 0,
      message: `Actor 'com.cloudflare.api.token.${token.id}' requires permission 'com.cloudflare.api.account.zone.list' to list zones`,
    })
  }
  // assumed: A token for one zone can find that zone by name. [godns PR 83 and pfsense saw this; ddclient PR 834 saw 403]
  const zones = store
    .zones()
    .filter(({ id }) => may('zoneRead', id) || may('dnsRead', id))
    .map(zone => zoneView(zone, accountId))
    .filter(zone => name === null || isNamed(zone, name))
  return pageOf(zones, query, pageSize)
}

/** Handles GET /zones/{id}. */
export function getZone({ parts: { accountId }, zone }: ZoneCall): Outcome {
  // documented: GET returns one zone. [API reference, Zones]
  return success(zoneView(zone, accountId))
}

/** Handles GET …/workers/routes. */
export function listRoutes({ zone, parts: { workers } }: ZoneCall): Outcome {
  // documented: All routes of a zone are listed on one page, with a pattern and an optional script. [API reference, Workers Routes;
  // types of npm cloudflare 7.3.0]
  const routes = workers.routes.filter(({ zoneId }) => zoneId === zone.id)
  return success(
    routes.map(({ id, pattern, script }) => ({ id, pattern, ...(script === null ? {} : { script }) })),
  )
}
