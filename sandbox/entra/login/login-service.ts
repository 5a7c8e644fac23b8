import type { HttpAnswer } from '../../http/delivery.ts'
import type { Service } from '../../http/emulated-service.ts'
import type { Exchange } from '../../http/exchange.ts'
import { instanceByHost } from '../../http/virtual-hosts.ts'
import { textAnswer } from '../answer.ts'
import { pathsOf, publicInstance, type Tenant } from '../tenant.ts'
import { isGuid, type Problem, problems } from './aadsts.ts'
import { forLibrary, shapeAuthorization } from './authorize.ts'
import { type LoginCall, loginCall } from './call.ts'
import { clientCredentialsAnswer, isForItself } from './client-credentials.ts'
import { configurationAnswer } from './configuration.ts'
import { jsonFailure } from './failures.ts'
import { loginFaultAnswers, loginFaultEffects } from './faults.ts'
import { interactionAnswer, isInteraction } from './interaction.ts'
import { loginAreas } from './ledger.ts'
import { discoveryAnswer, discoveryPath, metadataAnswer, metadataPath } from './metadata.ts'
import { nodeExchange } from './node-exchange.ts'
import { errorPage, nothingHere } from './pages.ts'
import type { OAuthProvider } from './provider.ts'
import { grantAnswer, moveCredentials } from './token.ts'

const tenantPath =
  /^\/([^/]+)\/(oauth2\/v2\.0\/(?:authorize|token|logout)|discovery\/v2\.0\/keys|v2\.0\/\.well-known\/)/
const tenantAliases: Readonly<Record<string, Problem>> = {
  common: problems.notMultiTenant,
  organizations: problems.notMultiTenant,
  consumers: problems.notConsumer,
}
const hosts: Readonly<Record<string, number>> = { 'login.microsoftonline.com': 0 }

const credentialFields = [
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'access_token',
  'refresh_token',
  'id_token_hint',
]

/** Refuses a tenant that does not exist, with a page for people and JSON for programs. */
function refuseTenant(call: LoginCall, authority: string): HttpAnswer {
  const { path } = call
  const unknown =
    isGuid(authority) || authority.includes('.') ? problems.unknownTenant : problems.malformedTenant
  const cause = (Object.hasOwn(tenantAliases, authority) && tenantAliases[authority]) || unknown
  if (/\/(authorize|logout)$/.test(path)) return errorPage(call, cause)
  return jsonFailure(call, path.endsWith('/token') ? cause : { ...cause, error: 'invalid_tenant' })
}

/** Returns the login service of one tenant: authorize, token, logout, keys, configuration and sign-in page. */
export function loginService(tenant: Tenant, provider: OAuthProvider): Service {
  const paths = pathsOf(tenant.tenantId)

  async function tokenRequest(call: LoginCall): Promise<HttpAnswer> {
    const refusal = moveCredentials(call)
    if (refusal) return jsonFailure(call, refusal)
    return isForItself(call.form) ? clientCredentialsAnswer(call) : grantAnswer(call, provider)
  }

  async function answer(exchange: Exchange): Promise<HttpAnswer> {
    if (exchange.body.kind === 'oversized') return textAnswer(413, 'The body is larger than 1 MiB.\n')
    const call = loginCall(tenant, exchange)
    if (tenant.instance === publicInstance) call.cite('public-names')
    const { method, path, form } = call
    if (isInteraction(tenant, path)) return interactionAnswer(call, provider)
    if (path === metadataPath) {
      exchange.cite('metadata')
      return metadataAnswer(tenant)
    }
    if (path === discoveryPath) {
      exchange.cite('discovery')
      return discoveryAnswer(tenant)
    }
    const authority = tenantPath.exec(path)?.[1]
    if (authority === undefined) return nothingHere(path)
    call.cite('paths')
    if (authority !== tenant.tenantId) return refuseTenant(call, authority)
    if (path === paths.configuration) {
      call.cite('configuration')
      return configurationAnswer(tenant)
    }
    if (path === paths.token && method === 'POST') return tokenRequest(call)
    const isAuthorize = path.startsWith(paths.authorize)
    const node = nodeExchange(isAuthorize ? forLibrary(call) : call, form.toString())
    const answered = await provider.answer(node)
    if (answered.answer.status === 404) return nothingHere(path)
    if (isAuthorize) return shapeAuthorization(call, answered)
    return answered.failure === null ? answered.answer : errorPage(call, problems.malformedRequest)
  }

  return {
    name: 'entra',
    claim: head => (head.path === metadataPath ? 0 : instanceByHost(hosts, head)),
    answer,
    redaction: { fields: credentialFields, redact: text => withoutSecrets(tenant, text) },
    faultAnswers: loginFaultAnswers(tenant),
    faultEffects: loginFaultEffects(tenant),
    ledger: loginAreas,
  }
}

function withoutSecrets({ clientSecrets, applications }: Tenant, text: string): string {
  const secrets = [...clientSecrets.live, ...clientSecrets.expired, ...applications.secrets()]
  return secrets
    .filter(secret => secret !== '')
    .flatMap(secret => [
      secret,
      encodeURIComponent(secret),
      `${new URLSearchParams([['', secret]])}`.slice(1),
    ])
    .reduce((rest, secret) => rest.replaceAll(secret, '<client secret>'), text)
}
