import type { HttpAnswer } from '../../http/delivery.ts'
import type { RequestHead } from '../../http/exchange.ts'
import { jsonAnswer } from '../answer.ts'
import type { OAuthProvider } from '../login/provider.ts'
import { profileScope, type Tenant } from '../tenant.ts'
import type { EntraUser } from '../users.ts'

const mePath = '/v1.0/me'

/** Returns an error in the API's form. The message is for developers, never for users (documented). */
export function graphFailure(
  tenant: Tenant,
  status: number,
  code: string,
  message: string,
  { headers = {}, asked }: { headers?: HttpAnswer['headers']; asked?: string | undefined } = {},
): HttpAnswer {
  const requestId = tenant.ids.uuid()
  const date = new Date(tenant.clock.now()).toISOString().slice(0, 19)
  const innerError = { date, 'request-id': requestId, 'client-request-id': asked ?? requestId }
  return jsonAnswer(status, { error: { code, message, innerError } }, { 'request-id': requestId, ...headers })
}

/** Returns 401 with a challenge. */
export const unauthenticated = (tenant: Tenant, message: string, asked: string | undefined): HttpAnswer =>
  graphFailure(tenant, 401, 'InvalidAuthenticationToken', message, {
    asked,
    headers: {
      'www-authenticate': `Bearer realm="", authorization_uri="${tenant.instance}common/oauth2/authorize"`,
    },
  })

/** The fields of a user without `$select` (documented, Get a user). */
function defaultFields(user: EntraUser) {
  const [givenName = null, ...rest] = user.displayName.split(' ')
  return {
    businessPhones: [] as string[],
    displayName: user.displayName,
    givenName,
    jobTitle: null,
    mail: user.mail,
    mobilePhone: null,
    officeLocation: null,
    preferredLanguage: null,
    surname: rest.length > 0 ? rest.join(' ') : null,
    userPrincipalName: user.userPrincipalName,
    id: user.id,
  }
}

/** All fields that `$select` can name. */
const selectableFields = (user: EntraUser): Readonly<Record<string, unknown>> => ({
  ...defaultFields(user),
  userType: user.userPrincipalName.includes('#EXT#') ? 'Guest' : 'Member',
  accountEnabled: user.outcome !== 'disabled',
})

function profile(
  tenant: Tenant,
  user: EntraUser,
  select: string | null,
  asked: string | undefined,
): HttpAnswer {
  const context = `${tenant.graphUrl}/v1.0/$metadata#users`
  if (select === null) {
    return jsonAnswer(200, { '@odata.context': `${context}/$entity`, ...defaultFields(user) })
  }
  const all = selectableFields(user)
  const names = select.split(',').map(name => name.trim())
  const unknown = names.find(name => !Object.hasOwn(all, name))
  if (unknown !== undefined) {
    const message = `Could not find a property named '${unknown}' on type 'microsoft.graph.user'.`
    return graphFailure(tenant, 400, 'BadRequest', message, { asked })
  }
  const selected = Object.fromEntries(names.map(name => [name, all[name]]))
  return jsonAnswer(200, { '@odata.context': `${context}(${names.join(',')})/$entity`, ...selected })
}

/** Answers a request for the profile of the signed-in user. */
export async function profileAnswer(
  tenant: Tenant,
  { library }: OAuthProvider,
  { method, path, query, headers }: RequestHead,
): Promise<HttpAnswer> {
  const asked = headers['client-request-id']
  const value = /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1]
  if (value === undefined) return unauthenticated(tenant, 'Access token is empty.', asked)
  const token = await library.AccessToken.find(value)
  if (token === undefined) {
    return unauthenticated(tenant, 'The access token is unknown or its lifetime has ended.', asked)
  }
  if (path !== mePath) {
    return graphFailure(tenant, 400, 'BadRequest', 'No resource was found for a segment of the path.', {
      asked,
    })
  }
  if (method !== 'GET') {
    return graphFailure(tenant, 405, 'Request_BadRequest', 'The method is not supported here.', { asked })
  }
  if (!token.scopes.has(profileScope)) {
    const message = 'Insufficient privileges to complete the operation.'
    return graphFailure(tenant, 403, 'Authorization_RequestDenied', message, { asked })
  }
  const user = tenant.directory.byId(token.accountId)
  if (user === undefined) {
    return graphFailure(tenant, 404, 'Request_ResourceNotFound', 'The user does not exist.', { asked })
  }
  if (user.outcome === 'disabled') {
    return graphFailure(tenant, 401, 'Authorization_IdentityDisabled', 'The account is disabled.', { asked })
  }
  return profile(tenant, user, new URLSearchParams(query).get('$select'), asked)
}
