import type { HttpAnswer } from '../../http/delivery.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Service } from '../../http/service.ts'
import { instanceByHost } from '../../http/virtual-hosts.ts'
import { textAnswer } from '../answer.ts'
import { pathsOf, type Tenant } from '../tenant.ts'
import { marksOf, type Problem, problems } from './aadsts.ts'
import { shapeAuthorization } from './authorize.ts'
import { clientCredentialsAnswer, isForItself } from './client-credentials.ts'
import { configurationAnswer } from './configuration.ts'
import { loginFaultAnswers, loginFaultEffects } from './faults.ts'
import { interactionAnswer, isInteraction } from './interaction.ts'
import { loginAreas } from './ledger.ts'
import { metadataAnswer, metadataPath } from './metadata.ts'
import { nodeExchange } from './node-exchange.ts'
import { errorPage, nothingHere } from './pages.ts'
import type { OAuthProvider } from './provider.ts'
import { failedToken, refuseTokenRequest, shapeToken } from './token.ts'

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

/** Returns the login service of one tenant: authorize, token, logout, keys, configuration and sign-in page. */
export function loginService(tenant: Tenant, provider: OAuthProvider): Service {
  const paths = pathsOf(tenant.tenantId)
  // The library creates addresses with the Host of the request, so it gets ours instead of the client's.
  const { host } = new URL(tenant.instance)

  function refuseTenant(asked: string, { path, headers }: Exchange): HttpAnswer {
    const cause = (Object.hasOwn(tenantAliases, asked) && tenantAliases[asked]) || problems.unknownTenant
    const marks = marksOf(tenant, headers)
    return path.endsWith('/token') ? failedToken(cause, marks, tenant) : errorPage(cause, marks)
  }

  async function tokenAnswer(exchange: Exchange, body: string): Promise<HttpAnswer> {
    const marks = marksOf(tenant, exchange.headers)
    const form = new URLSearchParams(body)
    if (isForItself(form)) return clientCredentialsAnswer(tenant, form, marks, exchange.cite)
    const refusal = refuseTokenRequest(exchange.headers, form)
    if (refusal !== undefined) return failedToken(refusal, marks, tenant)
    const withoutVerifier = tenant.storage.lacksChallenge(form.get('code') ?? '')
    if (withoutVerifier) form.delete('code_verifier')
    const node = nodeExchange(exchange, host, withoutVerifier ? form.toString() : body)
    return shapeToken(await provider.answer(node), form, marks, tenant)
  }

  async function answer(exchange: Exchange): Promise<HttpAnswer> {
    const { method, path, query, headers, body } = exchange
    if (body.kind === 'oversized') return textAnswer(413, 'The body is larger than 1 MiB.\n')
    const text = body.kind === 'text' ? body.text : ''
    const node = nodeExchange(exchange, host, text)
    const marks = () => marksOf(tenant, headers)
    if (isInteraction(tenant, path)) {
      return interactionAnswer(tenant, provider, node, path, new URLSearchParams(text), marks())
    }
    if (path === metadataPath) {
      exchange.cite('metadata')
      return metadataAnswer(tenant)
    }
    const asked = tenantPath.exec(path)?.[1]
    if (asked === undefined) return nothingHere(path)
    if (asked !== tenant.tenantId) return refuseTenant(asked, exchange)
    if (path === paths.configuration) return configurationAnswer(tenant)
    if (path === paths.token && method === 'POST') return tokenAnswer(exchange, text)
    const answered = await provider.answer(node)
    if (answered.answer.status === 404) return nothingHere(path)
    if (path.startsWith(paths.authorize)) {
      return shapeAuthorization(answered, new URLSearchParams(query), marks(), tenant)
    }
    return answered.failure === undefined ? answered.answer : errorPage(problems.malformedRequest, marks())
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
    .flatMap(secret => [secret, encodeURIComponent(secret)])
    .reduce((rest, secret) => rest.replaceAll(secret, '<client secret>'), text)
}
