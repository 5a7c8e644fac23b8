import { randomUUID } from 'node:crypto'
import { type Properties, pick, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { RestError } from '../rest.ts'
import { objectIdOf, untilGone } from './application.ts'
import type { AzureAd } from './client.ts'
import { dropCreator, ownerReferences, ownersIn, readOwners, writeOwners } from './owners.ts'

const collection = '/v1.0/servicePrincipals'
const pathOf = (id: string) => `${collection}/${objectIdOf(id)}`

const bodyOf = (inputs: Properties): Properties => ({
  accountEnabled: inputs['accountEnabled'] ?? true,
  appRoleAssignmentRequired: inputs['appRoleAssignmentRequired'] ?? false,
  ...pick(inputs, ['notes']),
})

const stateOf = (inputs: Properties, served: Properties): Properties => ({
  ...inputs,
  objectId: served['id'] ?? null,
  clientId: served['appId'] ?? null,
  applicationTenantId: served['appOwnerOrganizationId'] ?? null,
  displayName: served['displayName'] ?? null,
  description: served['description'] ?? null,
})

/**
 * @throws RestError if the application already has a service principal, as a killed or unanswered creation leaves it
 * (`ImportAsExistsDiag` in internal/tf, seen with the real provider)
 */
async function refusePresent(client: AzureAd, clientId: string): Promise<void> {
  const query = new URLSearchParams({ $filter: `appId eq '${clientId}'` })
  const [present] = await client.list(`${collection}?${query}`)
  if (present) {
    throw new RestError(
      `A resource with the ID "${text(present['id'])}" already exists - to be managed via Terraform this resource needs to be imported into the State. Please see the resource documentation for "azuread_service_principal" for more information.`,
    )
  }
}

/** The service principal of an application. */
export const servicePrincipal: Resource<AzureAd> = {
  // service_principal_resource.go: client_id is ForceNew; description is Optional.
  replaceOn: ['clientId'],
  removedUnlessDeclared: ['description'],
  computed: ['objectId', 'displayName', 'applicationTenantId'],
  create: async (client, inputs) => {
    const appId = text(inputs['clientId'])
    await refusePresent(client, appId)
    const description = `TERRAFORM_UPDATE_${randomUUID()}`
    const owners = await ownerReferences(client, inputs['owners'])
    const json = { appId, ...bodyOf(inputs), description, ...owners }
    const made = await client.call({ method: 'POST', path: collection, json })
    const path = pathOf(text(made['id']))
    await client.call({ method: 'PATCH', path, json: { description: inputs['description'] ?? null } })
    await dropCreator(client, path, inputs['owners'])
    return { id: `/servicePrincipals/${text(made['id'])}`, state: stateOf(inputs, made) }
  },
  path: pathOf,
  read: async (served, id, { inputs }, client) => {
    const path = pathOf(id)
    const beta = path.replace('/v1.0/', '/beta/')
    await client.call({ method: 'GET', path: `${beta}?$select=samlMetadataUrl` })
    const owners = ownersIn(inputs['owners'], await readOwners(client, path))
    const refreshed = {
      ...inputs,
      clientId: served['appId'] ?? null,
      ...(owners === undefined ? {} : { owners }),
      ...pick(
        served,
        Object.keys(inputs).filter(key => key in bodyOf(inputs)),
      ),
    }
    return { id, inputs: refreshed, state: stateOf(refreshed, served) }
  },
  update: async (client, id, inputs, { state }) => {
    const path = pathOf(id)
    await client.call({ method: 'PATCH', path, json: bodyOf(inputs) })
    await writeOwners(client, path, inputs['owners'])
    return { ...state, ...inputs }
  },
  // service_principal_resource.go, 3.9: Delete returns the error of a 404.
  delete: async (client, id) => {
    await client.call({ method: 'DELETE', path: pathOf(id) })
    await untilGone(client, pathOf(id))
  },
}
