import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { profileScope } from '../tenant.ts'
import { type EntraUser, namesOf } from '../users.ts'
import { bearerToken, denied, failure, type GraphCall, unauthenticated, unknownSegment } from './call.ts'

/** Returns the fields of a user (Graph REST reference, Get a user). */
function defaultFields(user: EntraUser) {
  const { givenName, surname } = namesOf(user)
  return {
    businessPhones: [] as string[],
    displayName: user.displayName,
    givenName,
    jobTitle: null,
    mail: user.mail,
    mobilePhone: null,
    officeLocation: null,
    preferredLanguage: null,
    surname,
    userPrincipalName: user.userPrincipalName,
    id: user.id,
  }
}

/** Answers with the profile of a user. */
function profile({ tenant }: GraphCall, user: EntraUser): HttpAnswer {
  // documented: The default fields are returned, null if empty. [Graph REST reference v1.0, user]
  // observed: mail is null for an account without a mailbox. [listings in public issues]
  // documented: The principal name of a guest contains #EXT#, and mail is the external address. Here that name ends in the
  // primary domain instead of the initial one, so that the domain alone does not reveal a guest. [B2B collaboration, user
  // properties]
  const context = `${tenant.graphUrl}/v1.0/$metadata#users/$entity`
  return jsonAnswer(200, { '@odata.context': context, ...defaultFields(user) })
}

/** Finds the access token of a user by its value. */
export type FindToken = (
  value: string,
) => Promise<{ readonly accountId: string; readonly scopes: ReadonlySet<string> } | null>

const profilePath = '/v1.0/me'

/** Answers a request for the profile of the signed-in user. */
export async function profileAnswer(call: GraphCall, findToken: FindToken): Promise<HttpAnswer> {
  const { tenant, method, path } = call
  const value = bearerToken(call)
  const token = value === null ? null : await findToken(value)
  if (token === null && value !== null && tenant.applications.bearer(value, tenant.clock.now())) {
    if (path === profilePath) {
      // observed: A request for /me with the token of an application gets 400 BadRequest, since that has no user. [msgraph-sdk-
      // php issue 1163, 2023-03]
      return failure(call, 400, 'BadRequest', '/me request is only valid with delegated authentication flow.')
    }
    // assumed: An application's request for anything else gets 403 Authorization_RequestDenied, as for a collection that its
    // permissions do not cover. [Graph, error responses]
    return denied(call)
  }
  if (token === null) {
    // documented: Without a valid token, a request gets 401 InvalidAuthenticationToken. [Graph, error responses]
    // observed: A 401 has a WWW-Authenticate header with authorization_uri. [captures in public issues]
    const reason = value === null ? 'is missing' : 'is unknown or has expired'
    return unauthenticated(call, `The access token ${reason}.`)
  }
  if (path !== profilePath) return unknownSegment(call)
  if (method !== 'GET') return failure(call, 405, 'Request_BadRequest', 'The method is not supported here.')
  if (!token.scopes.has(profileScope)) {
    // documented: A request whose token lacks User.Read gets 403 Authorization_RequestDenied. [Graph, error responses]
    return denied(call)
  }
  // documented: A renamed user keeps their object ID, which is never reused. [Graph REST reference v1.0, user]
  const user = tenant.users.byId(token.accountId)
  if (user === null) {
    // assumed: A request with the token of a deleted user gets 404 Request_ResourceNotFound. [from memory; no text or capture
    // available]
    return failure(call, 404, 'Request_ResourceNotFound', 'The user does not exist.')
  }
  return profile(call, user)
}
