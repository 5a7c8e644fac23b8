import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { profileScope, type Tenant, userinfoPath } from '../tenant.ts'
import { type EntraUser, namesOf } from '../users.ts'
import { bearerToken, denied, failure, type GraphCall, unauthenticated, unknownSegment } from './call.ts'

/** Returns the fields of a user without `$select` (Graph REST reference, Get a user). */
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

const isGuest = ({ userPrincipalName }: EntraUser): boolean => userPrincipalName.includes('#EXT#')

/** Returns all fields that `$select` can name. */
const selectableFields = (user: EntraUser): Readonly<Record<string, unknown>> => ({
  ...defaultFields(user),
  userType: isGuest(user) ? 'Guest' : 'Member',
  accountEnabled: user.outcome !== 'disabled',
})

function profile(call: GraphCall, user: EntraUser): HttpAnswer {
  const { tenant, query } = call
  const context = `${tenant.graphUrl}/v1.0/$metadata#users`
  const select = query.get('$select')
  call.cite('me.fields')
  if (user.mail === null) call.cite('me.mail-null')
  if (isGuest(user)) call.cite('me.guest')
  if (select === null) {
    return jsonAnswer(200, { '@odata.context': `${context}/$entity`, ...defaultFields(user) })
  }
  const all = selectableFields(user)
  const names = select.split(',').map(name => name.trim())
  const unknown = names.find(name => !Object.hasOwn(all, name))
  if (unknown !== undefined) {
    call.cite('me.select-unknown')
    const message = `Could not find a property named '${unknown}' on type 'microsoft.graph.user'.`
    return failure(call, 400, 'BadRequest', message)
  }
  const selected = Object.fromEntries(names.map(name => [name, all[name]]))
  return jsonAnswer(200, { '@odata.context': `${context}(${names.join(',')})/$entity`, ...selected })
}

/** Returns the claims of the userinfo endpoint for the scopes of a token. */
function userinfoClaims({ graphUrl }: Tenant, user: EntraUser, scopes: ReadonlySet<string>) {
  const { givenName, surname } = namesOf(user)
  const profile = {
    name: user.displayName,
    family_name: surname,
    given_name: givenName,
    picture: `${graphUrl}/v1.0/me/photo/$value`,
  }
  return {
    sub: user.id,
    ...(scopes.has('profile') && profile),
    ...(scopes.has('email') && user.mail !== null && { email: user.mail }),
  }
}

function userinfo(call: GraphCall, user: EntraUser, scopes: ReadonlySet<string>): HttpAnswer {
  call.cite('userinfo.claims')
  return jsonAnswer(200, userinfoClaims(call.tenant, user, scopes))
}

/** Finds the access token of a user by its value. */
export type FindToken = (
  value: string,
) => Promise<{ readonly accountId: string; readonly scopes: ReadonlySet<string> } | null>

/** The methods and the required scope of each path. */
const endpoints = {
  '/v1.0/me': { methods: ['GET'], scope: profileScope, answer: profile },
  [userinfoPath]: { methods: ['GET', 'POST'], scope: 'openid', answer: userinfo },
} as const

/** Answers a request for the profile of the signed-in user. */
export async function profileAnswer(call: GraphCall, findToken: FindToken): Promise<HttpAnswer> {
  const { tenant, method, path } = call
  const value = bearerToken(call)
  const token = value === null ? null : await findToken(value)
  if (token === null && value !== null && tenant.applications.bearer(value, tenant.clock.now())) {
    if (path === '/v1.0/me') {
      call.cite('applications.me')
      return failure(call, 400, 'BadRequest', '/me request is only valid with delegated authentication flow.')
    }
    call.cite('path.unknown')
    return denied(call)
  }
  if (token === null) {
    call.cite('me.unauthenticated')
    call.cite('me.challenge')
    const reason = value === null ? 'is missing' : 'is unknown or has expired'
    return unauthenticated(call, `The access token ${reason}.`)
  }
  const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path as keyof typeof endpoints] : undefined
  if (endpoint === undefined) return unknownSegment(call)
  if (!endpoint.methods.some(one => one === method))
    return failure(call, 405, 'Request_BadRequest', 'The method is not supported here.')
  if (!token.scopes.has(endpoint.scope)) {
    call.cite('me.scope')
    return denied(call)
  }
  call.cite('me.rename')
  const user = tenant.users.byId(token.accountId)
  if (user === null) {
    call.cite('me.deleted')
    return failure(call, 404, 'Request_ResourceNotFound', 'The user does not exist.')
  }
  if (user.outcome === 'disabled') {
    call.cite('me.disabled')
    return failure(call, 401, 'Authorization_IdentityDisabled', 'The account is disabled.')
  }
  return endpoint.answer(call, user, token.scopes)
}
