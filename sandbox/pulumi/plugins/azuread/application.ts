import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { asList, asProperties, isEqual, type Json, type Properties, pick, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import { RestError, unlessGone } from '../rest.ts'
import type { AzureAd } from './client.ts'
import { dropCreator, ownerReferences, ownersIn, readOwners, writeOwners } from './owners.ts'

export const applicationPath = (objectId: string) => `/v1.0/applications/${objectId}`

/** Returns the object ID at the end of the path that the provider uses as an id. */
export const objectIdOf = (id: string): string => id.split('/')[2] ?? id

/** How many 404s in a row confirm a deletion (observed). The real provider also waits twenty seconds. */
const missesInARow = 5
const maxLooks = 20
const pauseMs = 10

/** Waits until an object is gone. @throws RestError if it still exists after all attempts */
export async function untilGone(client: AzureAd, path: string): Promise<void> {
  let misses = 0
  for (let look = 0; look < maxLooks && misses < missesInARow; look += 1) {
    const found = await unlessGone(client.call({ method: 'GET', path }))
    misses = found === null ? misses + 1 : 0
    if (found !== null) await pause(pauseMs)
  }
  if (misses < missesInARow) throw new RestError(`${path} still exists after ${maxLooks} requests.`)
}

function webOut(web: Json | undefined): Properties {
  const { redirectUris, implicitGrant } = asProperties(web)
  const { accessTokenIssuanceEnabled = false, idTokenIssuanceEnabled = false } = asProperties(implicitGrant)
  return {
    redirectUris: redirectUris ?? [],
    implicitGrantSettings: {
      enableAccessTokenIssuance: accessTokenIssuanceEnabled,
      enableIdTokenIssuance: idTokenIssuanceEnabled,
    },
  }
}

const sameMembers = (one: Json | undefined, other: Json | undefined): boolean =>
  isEqual([...asList(one)].map(text).sort(), [...asList(other)].map(text).sort())

/** Returns the web block as the program would declare it. The order of redirect URIs does not matter. */
function webIn(declared: Json | undefined, served: Properties): Json | undefined {
  if (declared === undefined) return undefined
  const before = asProperties(declared)
  const grant = asProperties(served['implicitGrantSettings'])
  const found = served['redirectUris'] ?? []
  const uris = sameMembers(before['redirectUris'], found) ? (before['redirectUris'] ?? []) : found
  const grantIn = {
    accessTokenIssuanceEnabled: grant['enableAccessTokenIssuance'] ?? false,
    idTokenIssuanceEnabled: grant['enableIdTokenIssuance'] ?? false,
  }
  const declaredGrant = asProperties(before['implicitGrant'])
  return {
    ...before,
    ...(before['redirectUris'] === undefined && asList(uris).length === 0 ? {} : { redirectUris: uris }),
    ...(before['implicitGrant'] === undefined
      ? {}
      : { implicitGrant: { ...declaredGrant, ...pick(grantIn, Object.keys(declaredGrant)) } }),
  }
}

const accessOut = (accesses: Json | undefined): Json =>
  asList(accesses).map(access => {
    const { resourceAppId = null, resourceAccesses } = asProperties(access)
    return { resourceAppId, resourceAccess: asList(resourceAccesses) }
  })

const accessIn = (accesses: Json | undefined): Json =>
  asList(accesses).map(access => {
    const { resourceAppId = null, resourceAccess } = asProperties(access)
    return { resourceAppId, resourceAccesses: asList(resourceAccess) }
  })

const bodyOf = (inputs: Properties): Properties => ({
  displayName: inputs['displayName'] ?? null,
  signInAudience: inputs['signInAudience'] ?? 'AzureADMyOrg',
  requiredResourceAccess: accessOut(inputs['requiredResourceAccesses']),
  web: webOut(inputs['web']),
})

const apiFields = [
  'acceptMappedClaims',
  'knownClientApplications',
  'oauth2PermissionScopes',
  'requestedAccessTokenVersion',
]

/**
 * Returns fields that the provider reads although no program here declares them. An absent `groupMembershipClaims` is read
 * as a list with an empty text, and an incomplete `api` always differs from the planned one (application_resource.go).
 */
function undeclared(served: Properties): Properties {
  const { groupMembershipClaims = '' } = served
  const api = asProperties(served['api'])
  return {
    ...(groupMembershipClaims === null
      ? {}
      : { groupMembershipClaims: text(groupMembershipClaims).split(',') }),
    ...(apiFields.every(field => field in api) ? {} : { api }),
  }
}

const stateOf = (inputs: Properties, served: Properties): Properties => ({
  ...inputs,
  ...undeclared(served),
  clientId: served['appId'] ?? null,
  objectId: served['id'] ?? null,
  publisherDomain: served['publisherDomain'] ?? null,
})

function inputsOf(declared: Properties, served: Properties, owners: readonly string[]): Properties {
  const imported = Object.keys(declared).length === 0
  const web = webIn(imported ? { redirectUris: [] } : declared['web'], asProperties(served['web']))
  const ownedBy = ownersIn(imported ? [] : declared['owners'], owners)
  const accesses = accessIn(served['requiredResourceAccess'])
  const hasAccess = declared['requiredResourceAccesses'] !== undefined || asList(accesses).length > 0
  return {
    displayName: served['displayName'] ?? null,
    ...(declared['signInAudience'] === undefined && !imported
      ? {}
      : { signInAudience: served['signInAudience'] ?? null }),
    ...(web === undefined ? {} : { web }),
    ...(ownedBy === undefined ? {} : { owners: ownedBy }),
    ...(hasAccess ? { requiredResourceAccesses: accesses } : {}),
  }
}

/** Changes the name and changes it back, to make sure that the object is replicated (observed). */
async function confirmReplication(client: AzureAd, path: string, displayName: Json): Promise<void> {
  await client.call({ method: 'PATCH', path, json: { displayName: `TERRAFORM_UPDATE_${randomUUID()}` } })
  await client.call({ method: 'PATCH', path, json: { displayName } })
}

/** An app registration with its redirect URIs and permissions. */
export const application: Resource<AzureAd> = {
  // application_resource.go: only template_id, which no program here uses, is ForceNew.
  replaceOn: [],
  removedUnlessDeclared: ['groupMembershipClaims', 'api'],
  computed: ['clientId', 'objectId', 'publisherDomain'],
  create: async (client, inputs) => {
    const json = { ...bodyOf(inputs), ...(await ownerReferences(client, inputs['owners'])) }
    const made = await client.call({ method: 'POST', path: '/v1.0/applications', json })
    const path = applicationPath(text(made['id']))
    await confirmReplication(client, path, inputs['displayName'] ?? null)
    await dropCreator(client, path, inputs['owners'])
    const served = await client.call({ method: 'GET', path })
    return { id: `/applications/${text(made['id'])}`, state: stateOf(inputs, served) }
  },
  path: id => applicationPath(objectIdOf(id)),
  read: async (served, id, { inputs }, client) => {
    const path = applicationPath(objectIdOf(id))
    const beta = path.replace('/v1.0/', '/beta/')
    await client.call({ method: 'GET', path: `${beta}?$select=oauth2RequirePostResponse` })
    const owners = await readOwners(client, path)
    const refreshed = inputsOf(inputs, served, owners)
    return { id, inputs: refreshed, state: stateOf(refreshed, served) }
  },
  update: async (client, id, inputs) => {
    const path = applicationPath(objectIdOf(id))
    await client.call({ method: 'PATCH', path, json: bodyOf(inputs) })
    await writeOwners(client, path, inputs['owners'])
    return stateOf(inputs, await client.call({ method: 'GET', path }))
  },
  // application_resource.go, 3.9: Delete returns the error of a 404.
  delete: async (client, id) => {
    const path = applicationPath(objectIdOf(id))
    await client.call({ method: 'DELETE', path })
    await untilGone(client, path)
  },
}
