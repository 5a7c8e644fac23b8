import { asProperties, type Properties, text, toCamel } from '../../properties.ts'
import { RestError } from '../rest.ts'
import type { Cloudflare } from './client.ts'

async function find(client: Cloudflare, filter: Properties): Promise<string> {
  const query = new URLSearchParams({ name: text(filter['name']) })
  const account = asProperties(filter['account'])['id']
  if (account !== undefined) query.set('account.id', text(account))
  const zones = await client.list(`/zones?${query}`)
  const [zone] = zones
  if (zones.length !== 1 || zone === undefined) {
    throw new RestError(`Expected one zone with the name ${text(filter['name'])}, but found ${zones.length}.`)
  }
  return text(zone['id'])
}

/** Returns a zone by id, or by name with a second call. */
export async function getZone(client: Cloudflare, args: Properties): Promise<Properties> {
  const zoneId = text(args['zoneId']) || (await find(client, asProperties(args['filter'])))
  const zone = await client.call({ method: 'GET', path: `/zones/${zoneId}` })
  return { ...asProperties(toCamel(zone)), id: zoneId, zoneId }
}
