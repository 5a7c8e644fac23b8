import type { HttpAnswer } from '../../http/delivery.ts'
import type { Service } from '../../http/emulated-service.ts'
import type { Exchange } from '../../http/exchange.ts'
import { instanceByHost } from '../../http/virtual-hosts.ts'
import { pathsOf, type Tenant } from '../tenant.ts'
import { isGuid, problems } from './aadsts.ts'
import { shapeAuthorization } from './authorize.ts'
import { type LoginCall, loginCall } from './call.ts'
import { clientCredentialsAnswer, isForItself } from './client-credentials.ts'
import { jsonFailure } from './failures.ts'
import { loginError } from './faults.ts'
import { interactionAnswer, isInteraction } from './interaction.ts'
import { discoveryAnswer, metadataAnswer, metadataPath } from './metadata.ts'
import { nodeExchange } from './node-exchange.ts'
import { errorPage, nothingHere } from './pages.ts'
import type { OAuthProvider } from './provider.ts'
import { grantAnswer } from './token.ts'

const tenantPath =
  /^\/([^/]+)\/(oauth2\/v2\.0\/(?:authorize|token|logout)|discovery\/v2\.0\/keys|v2\.0\/\.well-known\/)/
const hosts: Readonly<Record<string, number>> = { 'login.microsoftonline.com': 0 }

/** Refuses a tenant that does not exist, with a page for people and JSON for programs. */
function refuseTenant(call: LoginCall): HttpAnswer {
  const { path } = call
  const [, name = ''] = path.split('/')
  // documented: A tenant that is neither a GUID nor a domain gets 900023. [Microsoft Entra, AADSTS error codes]
  const cause = isGuid(name) || name.includes('.') ? problems.unknownTenant : problems.malformedTenant
  if (/\/(authorize|logout)$/.test(path)) return errorPage(call, cause)
  return jsonFailure(call, path.endsWith('/token') ? cause : { ...cause, error: 'invalid_tenant' })
}

/** Answers a request to `organizations`, which means every tenant. No application here has several. */
function organizationsAnswer(call: LoginCall): HttpAnswer {
  const { path, parameters, tenant } = call
  const client = parameters.get('client_id') ?? ''
  const isKnown = client === tenant.clientId || tenant.applications.byAppId(client) !== null
  if (path.endsWith('/.well-known/openid-configuration')) return discoveryAnswer(tenant, 'organizations')
  // documented: An unknown application gets 700016, one with a single tenant 50194. [Microsoft Entra, AADSTS error codes]
  const cause = isKnown ? problems.notMultiTenant : problems.unknownClient
  return path.endsWith('/authorize') ? errorPage(call, cause) : jsonFailure(call, cause)
}

/** Returns the login service of one tenant: authorize, token, logout, keys and sign-in page. */
export function loginService(tenant: Tenant, provider: OAuthProvider): Service {
  const paths = pathsOf(tenant.tenantId)

  async function tokenRequest(call: LoginCall): Promise<HttpAnswer> {
    return isForItself(call.form) ? clientCredentialsAnswer(call) : grantAnswer(call, provider)
  }

  async function answer(exchange: Exchange): Promise<HttpAnswer> {
    const call = loginCall(tenant, exchange)
    const { method, path, form } = call
    if (isInteraction(tenant, path)) return interactionAnswer(call, provider)
    if (path === metadataPath) {
      // tried: Clients find the services at /metadata/endpoints over HTTPS. [the calls of azuread 6.9.1]
      return metadataAnswer(tenant)
    }
    const authority = tenantPath.exec(path)?.[1]
    if (authority === undefined) return nothingHere(path)
    // documented: authorize, token and logout are below {instance}{tenant}/oauth2/v2.0/. [Microsoft identity platform, OAuth 2.0
    // authorization code flow]
    if (authority === 'organizations') return organizationsAnswer(call)
    if (authority !== tenant.tenantId) return refuseTenant(call)
    // documented: A tenant describes itself at {tenant}/v2.0/.well-known/openid-configuration, with the host of its Graph.
    // [Microsoft identity platform, OpenID Connect]
    if (path === `/${tenant.tenantId}/v2.0/.well-known/openid-configuration`) return discoveryAnswer(tenant)
    if (path === paths.token && method === 'POST') return tokenRequest(call)
    const isAuthorize = path.startsWith(paths.authorize)
    const node = nodeExchange(call, form.toString())
    const answered = await provider.answer(node)
    if (answered.answer.status === 404) return nothingHere(path)
    if (isAuthorize) return shapeAuthorization(call, answered)
    return answered.failure === null ? answered.answer : errorPage(call, problems.malformedRequest)
  }

  return {
    name: 'entra',
    claim: head => (head.path === metadataPath ? 0 : instanceByHost(hosts, head)),
    answer,
    errorAnswer: (exchange, [error], status) => loginError(tenant, exchange, error, status),
  }
}
