import { type Properties, pick, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import type { Cloudflare } from './client.ts'

const collection = (inputs: Properties) => `/accounts/${text(inputs['accountId'])}/workers/domains`

const inputsOf = (declared: Properties, domain: Properties): Properties => ({
  ...pick(declared, ['accountId']),
  hostname: domain['hostname'] ?? null,
  service: domain['service'] ?? null,
  zoneId: domain['zone_id'] ?? null,
})

/**
 * A custom domain of a Worker. Every change is a replacement, and the service has one id per hostname. Deleting the old
 * domain last therefore deletes the new one (observed with the real provider).
 */
export const workersCustomDomain: Resource<Cloudflare> = {
  // workers_custom_domain/schema.go: every input is RequiresReplace, or RequiresReplaceIfConfigured.
  replaceOn: 'all',
  computed: ['zoneName', 'certId'],
  create: async (client, inputs) => {
    const { hostname, service, zoneId } = inputs
    const json = {
      hostname: hostname ?? null,
      service: service ?? null,
      ...(zoneId === undefined ? {} : { zone_id: zoneId }),
    }
    const domain = await client.call({ method: 'PUT', path: collection(inputs), json })
    const { zone_name: zoneName = null, cert_id: certId = null } = domain
    return { id: text(domain['id']), state: { ...inputs, id: domain['id'] ?? null, zoneName, certId } }
  },
  path: (id, state) => `${collection(state)}/${id}`,
  read: (domain, id, { inputs, state }) => {
    const refreshed = inputsOf(inputs, domain)
    return { id, inputs: refreshed, state: { ...state, ...refreshed } }
  },
}
