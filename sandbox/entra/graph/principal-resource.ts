import { jsonAnswer } from '../answer.ts'
import type { ServicePrincipal } from './applications.ts'
import { badRequest, denied, failure } from './call.ts'
import {
  type Collection,
  commonOperations,
  initialOwners,
  type Operation,
  orBadRequest,
} from './collection.ts'
import { readPrincipalSettings } from './registration.ts'

const principals: Collection<ServicePrincipal> = {
  cites: {
    filter: ['principals.filter'],
    get: ['principals.get', 'applications.at-once'],
    update: ['principals.update', 'directory.null'],
    delete: ['principals.delete'],
  },
  objects: tenant => tenant.applications.principals,
  view({ tenant }, { owners: _owners, ...principal }) {
    const application = tenant.applications.byAppId(principal.appId)
    const { displayName = null, signInAudience = null, appRoles = [], api, info, web } = application ?? {}
    return {
      ...principal,
      displayName,
      appDisplayName: displayName,
      appOwnerOrganizationId: tenant.tenantId,
      appRoles,
      homepage: web?.homePageUrl ?? null,
      info,
      logoutUrl: web?.logoutUrl ?? null,
      oauth2PermissionScopes: api?.oauth2PermissionScopes ?? [],
      samlMetadataUrl: null,
      servicePrincipalNames: [principal.appId, ...(application?.identifierUris ?? [])],
      servicePrincipalType: 'Application',
      signInAudience,
      replyUrls: web?.redirectUris ?? [],
    }
  },
  change: ({ sent }, principal) => ({ ...principal, ...readPrincipalSettings(sent, principal) }),
  remove: ({ applications }, { id }) => applications.principals.delete(id),
}

/** POST /servicePrincipals. An application can have one. */
const createPrincipal: Operation = call => {
  const { tenant, bearer, sent } = call
  call.cite('principals.create')
  const appId = String(sent['appId'] ?? '')
  const application = tenant.applications.byAppId(appId)
  if (application === undefined) {
    const message = `The appId '${appId}' of the service principal does not reference a valid application.`
    return badRequest(call, message)
  }
  if (!application.owners.includes(bearer.objectId)) return denied(call)
  if (tenant.applications.principalOf(appId)) {
    const message = `The service principal cannot be created, the service principal name ${appId} is already in use.`
    return failure(call, 409, 'Request_MultipleObjectsWithSameKeyValue', message)
  }
  return orBadRequest(call, () => {
    const principal: ServicePrincipal = {
      id: tenant.applicationIds.uuid(),
      appId,
      ...readPrincipalSettings(sent),
      owners: initialOwners(call),
    }
    tenant.applications.principals.set(principal.id, principal)
    return jsonAnswer(201, principals.view(call, principal))
  })
}

export const principalOperations = { ...commonOperations(principals), 'POST /': createPrincipal }
