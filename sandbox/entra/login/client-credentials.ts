import type { HttpAnswer } from '../../http/delivery.ts'
import type { Bearer, Deployer } from '../graph/applications.ts'
import { defaultScopes, type Tenant } from '../tenant.ts'
import { isGuid, type Problem, problems } from './aadsts.ts'
import { assertionType, refuseAssertion } from './assertion.ts'
import type { LoginCall } from './call.ts'
import { jsonFailure } from './failures.ts'
import { tokenAnswer } from './token.ts'

/** Encodes an object as a part of a JWT. */
const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const lifetimeSeconds = 3599
const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Whether an application requests a token for itself. */
export const isForItself = (form: URLSearchParams): boolean => form.get('grant_type') === 'client_credentials'

function secretProblem(state: 'live' | 'expired' | 'unknown'): Problem | null {
  if (state === 'live') return null
  return state === 'expired' ? problems.expiredSecret : problems.wrongSecret
}

/** Checks a deployer's credential: a client secret or an assertion. */
function refuseDeployer(deployer: Deployer, { form }: LoginCall): Problem | null {
  const secret = form.get('client_secret')
  if (secret !== null) return secretProblem(secret === deployer.clientSecret ? 'live' : 'unknown')
  // assumed: A deployer can send an assertion instead of a secret. Its issuer, subject and signature are not checked here,
  // unlike at the real service. [Microsoft identity platform, OAuth 2.0 client credentials flow]
  const isAssertion = form.get('client_assertion_type') === assertionType
  return isAssertion && threeParts.test(form.get('client_assertion') ?? '') ? null : problems.missingSecret
}

/** The application that sent a request, or why it cannot be identified. */
type Identified = { readonly value: Omit<Bearer, 'until'> } | { readonly problem: Problem }

/** Authenticates the application. */
async function identify(call: LoginCall): Promise<Identified> {
  const { tenant, form } = call
  const { applications } = tenant
  const appId = form.get('client_id') ?? ''
  if (appId === '') return { problem: problems.missingParameter }
  const { deployer } = applications
  if (appId === deployer.clientId) {
    const { objectId } = deployer
    const problem = refuseDeployer(deployer, call)
    return problem
      ? { problem }
      : { value: { appId, objectId, permissions: ['Application.ReadWrite.OwnedBy'] } }
  }
  const application = applications.byAppId(appId)
  if (application === null) {
    return { problem: isGuid(appId) ? problems.unknownClient : problems.malformedClient }
  }
  const secret = form.get('client_secret')
  let problem: Problem | null
  if (form.has('client_assertion')) problem = await refuseAssertion(call, application)
  else if (secret === null) problem = problems.missingSecret
  else {
    // documented: Every unexpired password authenticates its application, including those of its service principal. [Microsoft
    // identity platform, OAuth 2.0 client credentials flow; Graph REST reference v1.0, servicePrincipal]
    problem = secretProblem(applications.secretState(application, secret, tenant.clock.now()))
  }
  const objectId = applications.principalOf(appId)?.id ?? application.id
  return problem
    ? { problem }
    : { value: { appId, objectId, permissions: applications.permissionsOf(appId) } }
}

/** MSAL for Go and Java always add these. An application has no use for them. */
const openidScopes = ['', 'openid', 'profile', 'offline_access']

/** Returns a token in the form of a JWT, because clients read its `oid`. Its signature is invalid. */
function accessToken(tenant: Tenant, { appId, objectId, permissions, until }: Bearer): string {
  const claims = {
    aud: tenant.graphUrl,
    iss: `${tenant.instance}${tenant.tenantId}/v2.0`,
    exp: Math.floor(until / 1000),
    appid: appId,
    oid: objectId,
    ...(permissions.length > 0 && { roles: permissions }),
    sub: objectId,
    tid: tenant.tenantId,
    idtyp: 'app',
    uti: tenant.ids.text(22),
  }
  return `${encodeJson({ alg: 'RS256', typ: 'JWT' })}.${encodeJson(claims)}.${encodeJson('unsigned')}`
}

/** Answers a token request with the client credentials grant (RFC 6749 section 4.4). */
export async function clientCredentialsAnswer(call: LoginCall): Promise<HttpAnswer> {
  const { tenant, form } = call
  // documented: An application gets a token for itself with client_id, client_secret and the scope {resource}/.default.
  // [Microsoft identity platform, OAuth 2.0 client credentials flow]
  const identified = await identify(call)
  if ('problem' in identified) return jsonFailure(call, identified.problem)
  const scopes = (form.get('scope') ?? '').split(' ').filter(scope => !openidScopes.includes(scope))
  // observed: The scopes openid, profile and offline_access beside that one make no difference. Without one that ends in
  // /.default, the request is refused with invalid_scope and code 1002012. [the sources of MSAL for Go and Java, 2026, which
  // always send them; captures of 1002012 in public issues]
  if (scopes.length !== 1 || !defaultScopes(tenant).includes(scopes[0] ?? ''))
    return jsonFailure(call, problems.defaultScope)
  // tried: The token has three parts, and its payload contains the object ID of the application. [the calls of azuread 6.9.1]
  const bearer = { ...identified.value, until: tenant.clock.now() + lifetimeSeconds * 1000 }
  const token = accessToken(tenant, bearer)
  tenant.applications.admit(token, bearer)
  return tokenAnswer({ access_token: token })
}
