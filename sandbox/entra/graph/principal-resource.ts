import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import {
  badRequest,
  type DirectoryCall,
  denied,
  filtered,
  noContent,
  notFound,
  referencedIds,
} from './application-resource.ts'
import type { ServicePrincipal } from './applications.ts'
import { graphFailure } from './profile.ts'

function view({ tenant }: DirectoryCall, { owners: _owners, ...principal }: ServicePrincipal) {
  const application = tenant.applications.byAppId(principal.appId)
  return {
    ...principal,
    displayName: application?.displayName ?? null,
    appDisplayName: application?.displayName ?? null,
    appOwnerOrganizationId: tenant.tenantId,
    servicePrincipalNames: [principal.appId],
    servicePrincipalType: 'Application',
    signInAudience: application?.signInAudience ?? null,
    replyUrls: [...(application?.web.redirectUris ?? [])],
    tags: [],
  }
}

const textOr = (value: unknown, otherwise: string | null): string | null =>
  typeof value === 'string' ? value : otherwise

const settingsIn = (sent: DirectoryCall['sent'], before: Partial<ServicePrincipal>) => ({
  accountEnabled: (sent['accountEnabled'] ?? before.accountEnabled ?? true) === true,
  appRoleAssignmentRequired:
    (sent['appRoleAssignmentRequired'] ?? before.appRoleAssignmentRequired ?? false) === true,
  description: textOr(sent['description'], before.description ?? null),
  notes: textOr(sent['notes'], before.notes ?? null),
})

/** POST /servicePrincipals. An application can have one. */
export function createPrincipal(call: DirectoryCall): HttpAnswer {
  const { tenant, bearer, sent, asked } = call
  const appId = String(sent['appId'] ?? '')
  const application = tenant.applications.byAppId(appId)
  if (application === undefined) {
    return badRequest(
      call,
      `The appId '${appId}' of the service principal does not reference a valid application.`,
    )
  }
  if (!application.owners.includes(bearer.objectId)) return denied(call)
  if (tenant.applications.principalOf(appId)) {
    const message = `The service principal cannot be created, the service principal name ${appId} is already in use.`
    return graphFailure(tenant, 409, 'Request_MultipleObjectsWithSameKeyValue', message, { asked })
  }
  const owners = [bearer.objectId, ...referencedIds(sent['owners@odata.bind'])]
  const principal: ServicePrincipal = {
    id: tenant.applicationIds.uuid(),
    appId,
    ...settingsIn(sent, {}),
    owners: [...new Set(owners)],
  }
  tenant.applications.principals.set(principal.id, principal)
  return jsonAnswer(201, view(call, principal))
}

/** GET /servicePrincipals */
export function listPrincipals(call: DirectoryCall): HttpAnswer {
  const all = [...call.tenant.applications.principals.values()].map(principal => view(call, principal))
  const found = filtered(all, call.query.get('$filter'))
  return found === undefined
    ? badRequest(call, 'This $filter is not supported.')
    : jsonAnswer(200, { value: found })
}

const withPrincipal =
  (writing: boolean, answer: (call: DirectoryCall, principal: ServicePrincipal) => HttpAnswer) =>
  (call: DirectoryCall): HttpAnswer => {
    const principal = call.tenant.applications.principals.get(call.id)
    if (principal === undefined) return notFound(call)
    return writing && !principal.owners.includes(call.bearer.objectId)
      ? denied(call)
      : answer(call, principal)
  }

export const getPrincipal = withPrincipal(false, (call, principal) => jsonAnswer(200, view(call, principal)))

export const patchPrincipal = withPrincipal(true, ({ tenant, sent }, principal) => {
  tenant.applications.principals.set(principal.id, { ...principal, ...settingsIn(sent, principal) })
  return noContent
})

export const deletePrincipal = withPrincipal(true, ({ tenant }, { id }) => {
  tenant.applications.principals.delete(id)
  return noContent
})
