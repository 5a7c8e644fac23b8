import { domainToASCII, domainToUnicode } from 'node:url'
import type { LedgerId } from '../ledger.ts'
import type { Outcome } from './envelope.ts'
import { refuse } from './errors.ts'
import { pageOf } from './paging.ts'
import type { Store, Zone } from './store.ts'
import { allows, type Token } from './token.ts'

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
export const listZones = (
  store: Store,
  token: Token,
  query: URLSearchParams,
  accountId: string,
  cite: (id: LedgerId) => void,
): Outcome => {
  cite('zones.list')
  const name = query.get('name')
  if (name === null && !allows(token, 'zoneRead', '*')) {
    return refuse(403, 'zones.list.scoped', {
      code: 0,
      message: `Actor 'com.cloudflare.api.token.${token.id}' requires permission 'com.cloudflare.api.account.zone.list' to list zones`,
    })
  }
  if (name !== null && !allows(token, 'zoneRead', '*')) cite('zones.list.scoped-by-name')
  const status = query.get('status')
  const zones = store
    .zones()
    .filter(zone => allows(token, 'zoneRead', zone.id) || allows(token, 'dnsRead', zone.id))
    .filter(zone => name === null || zone.name === domainToASCII(name))
    .filter(zone => status === null || zone.status === status)
  return pageOf(
    zones.map(zone => view(zone, accountId)),
    query,
    pageLimits,
  )
}

/** GET /zones/{id} */
export const getZone = (zone: Zone, accountId: string, cite: (id: LedgerId) => void): Outcome => {
  cite('zones.get')
  return { ok: true, result: view(zone, accountId) }
}
