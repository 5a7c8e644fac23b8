import { domainToASCII, domainToUnicode } from 'node:url'
import type { Outcome } from './envelope.ts'
import { refuse } from './errors.ts'
import { pageOf } from './paging.ts'
import type { Permission } from './permission-groups.ts'
import type { Call, Route, ZoneCall } from './route.ts'
import type { Zone } from './store.ts'
import { allows } from './token.ts'

const pageLimits = { byDefault: 20, most: 50 }

/** A zone as it is served: unlike a record's name, a zone's comes in its own script. */
const view = ({ id, name, status, nameServers, createdOn }: Zone, accountId: string) => ({
  id,
  name: domainToUnicode(name),
  status,
  paused: false,
  type: 'full',
  name_servers: nameServers,
  account: { id: accountId, name: 'Sandbox' },
  created_on: createdOn,
  modified_on: createdOn,
})

/** GET /zones: the zones that the token has to do with. */
const listZones = ({ parts: { store, accountId }, token, query, cite }: Call): Outcome => {
  cite('zones.list')
  const may = (permission: Permission, zone: string) =>
    allows(token, permission, { on: 'zone', account: accountId, zone })
  const name = query.get('name')
  if (name === null && !may('zoneRead', '*')) {
    return refuse(403, 'zones.list.scoped', {
      code: 0,
      message: `Actor 'com.cloudflare.api.token.${token.id}' requires permission 'com.cloudflare.api.account.zone.list' to list zones`,
    })
  }
  if (name !== null && !may('zoneRead', '*')) cite('zones.list.scoped-by-name')
  const status = query.get('status')
  const zones = store
    .zones()
    .filter(({ id }) => may('zoneRead', id) || may('dnsRead', id))
    .filter(zone => name === null || zone.name === domainToASCII(name))
    .filter(zone => status === null || zone.status === status)
  return pageOf(
    zones.map(zone => view(zone, accountId)),
    query,
    pageLimits,
  )
}

/** GET /zones/{id} */
const getZone = ({ parts: { accountId }, zone, cite }: ZoneCall): Outcome => {
  cite('zones.get')
  return { ok: true, result: view(zone, accountId) }
}

export const zoneRoutes: readonly Route[] = [
  { method: 'GET', pattern: '/zones', on: 'self', handle: listZones },
  { method: 'GET', pattern: '/zones/:zone', on: 'zone', requires: 'zoneRead', handle: getZone },
]
