import { jsonAnswer } from '../answer.ts'
import { type AppRoleAssignment, passwordView, type ServicePrincipal } from './applications.ts'
import { badRequest, denied, failure } from './call.ts'
import {
  type Collection,
  commonOperations,
  type GraphOperation,
  initialOwners,
  onObject,
} from './collection.ts'
import { readPrincipalSettings } from './registration.ts'

const principals: Collection<ServicePrincipal> = {
  objects: tenant => tenant.applications.principals,
  view(
    { tenant },
    { owners: _owners, appRoleAssignments: _, oauth2PermissionGrants: _grants, passwords, ...principal },
  ) {
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
      keyCredentials: [],
      logoutUrl: web?.logoutUrl ?? null,
      oauth2PermissionScopes: api?.oauth2PermissionScopes ?? [],
      passwordCredentials: passwords.map(passwordView),
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

/** Handles POST /servicePrincipals. An application can have only one. */
const createPrincipal: GraphOperation = call => {
  const { tenant, bearer, sent } = call
  // documented: An application can have one service principal. A request to create a second one gets 409, even if the response
  // to the first creation was lost. Seen: "the service principal name CLIENT-ID is already in use". [Graph REST reference v1.0,
  // servicePrincipal]
  const appId = String(sent['appId'] ?? '')
  const application = tenant.applications.byAppId(appId)
  if (application === null) {
    const message = `The appId '${appId}' of the service principal does not reference a valid application.`
    return badRequest(call, message)
  }
  if (!application.owners.includes(bearer.objectId)) return denied(call)
  if (tenant.applications.principalOf(appId)) {
    const message = `The service principal cannot be created, the service principal name ${appId} is already in use.`
    return failure(call, 409, 'Request_MultipleObjectsWithSameKeyValue', message)
  }
  const principal: ServicePrincipal = {
    id: tenant.applicationIds.uuid(),
    appId,
    ...readPrincipalSettings(sent),
    owners: initialOwners(call),
    passwords: [],
    appRoleAssignments: [],
    oauth2PermissionGrants: [],
  }
  tenant.applications.principals.set(principal.id, principal)
  return jsonAnswer(201, principals.view(call, principal))
}

const assignmentView = (principal: ServicePrincipal, assignment: AppRoleAssignment) => ({
  ...assignment,
  principalId: principal.id,
  principalType: 'ServicePrincipal',
})

/** Handles GET …/appRoleAssignments. */
const listAssignments = onObject(principals, 'read', (_, principal) => {
  // documented: GET appRoleAssignments lists the application permissions of a service principal. [Graph REST reference v1.0,
  // appRoleAssignment]
  const value = principal.appRoleAssignments.map(assignment => assignmentView(principal, assignment))
  return jsonAnswer(200, { value })
})

/** Handles GET …/oauth2PermissionGrants: what was consented to for users. */
const listGrants = onObject(principals, 'read', (_, { id, oauth2PermissionGrants }) => {
  const value = oauth2PermissionGrants.map(grant => ({
    ...grant,
    clientId: id,
    consentType: 'AllPrincipals',
  }))
  return jsonAnswer(200, { value })
})

/** Handles POST …/appRoleAssignments, by which an administrator grants consent. */
const addAssignment = onObject(principals, 'write', (call, principal, put) => {
  const { tenant, sent } = call
  // assumed: POST adds an application permission and returns 201. Here an owner of the service principal can do this, and the
  // permission need not exist. The real service requires an administrator. [Graph REST reference v1.0, appRoleAssignment]
  const { appRoleId, resourceId } = sent as Record<string, string>
  if (sent['principalId'] !== principal.id || appRoleId === undefined || resourceId === undefined)
    return badRequest(call, 'principalId must be the id of this service principal.')
  const assignment = { id: tenant.applicationIds.uuid(), appRoleId, resourceId }
  put({ ...principal, appRoleAssignments: [...principal.appRoleAssignments, assignment] })
  return jsonAnswer(201, assignmentView(principal, assignment))
})

export const principalOperations = {
  ...commonOperations(principals),
  'POST /': createPrincipal,
  'GET appRoleAssignments': listAssignments,
  'GET oauth2PermissionGrants': listGrants,
  'POST appRoleAssignments': addAssignment,
}
