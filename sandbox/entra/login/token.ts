import type { errors } from 'oidc-provider'
import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { credentialsOf, knownScopes, shortScopes } from '../tenant.ts'
import { EntraError, isGuid, type Problem, problems } from './aadsts.ts'
import { refuseAssertion } from './assertion.ts'
import type { LoginCall } from './call.ts'
import { encodeJson } from './claims.ts'
import { jsonFailure, noStore } from './failures.ts'
import { nodeExchange } from './node-exchange.ts'
import { refreshScope } from './policy.ts'
import type { OAuthProvider } from './provider.ts'

const accessTokenSeconds = 3600
const basic = /^Basic +([\w+/=-]*)$/i

/** Decodes a part of Basic credentials, which are form-encoded (RFC 6749 section 2.3.1). Some clients do not encode them. */
const decoded = (text: string): string =>
  /[/=&]/.test(text) ? text : (new URLSearchParams(`v=${text}`).get('v') ?? '')

/** Moves credentials from HTTP Basic to the form. Refuses a request with several credentials. */
export function moveCredentials({ headers, form }: LoginCall): Problem | null {
  const [, encoded] = basic.exec(headers['authorization'] ?? '') ?? []
  if (encoded === undefined) return null
  // documented: The application can authenticate with HTTP Basic. Assumed: credentials that are not form-encoded are accepted.
  // [the published configuration of the public cloud; RFC 6749 section 2.3]
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  const clientId = decoded(pair.slice(0, Math.max(colon, 0)))
  const sent = form.get('client_id')
  const other = form.has('client_secret') || form.has('client_assertion')
  if (other || (sent !== null && sent !== clientId)) return problems.severalCredentials
  form.set('client_id', clientId)
  form.set('client_secret', decoded(pair.slice(colon + 1)))
  return null
}

/** Checks a token request before the library does. */
function refuseTokenRequest({ headers, form, tenant }: LoginCall): Problem | null {
  if (headers['origin'] !== undefined) return problems.crossOrigin
  if (!form.get('grant_type') || !form.get('client_id')) return problems.missingParameter
  const scopes = form.getAll('scope').flatMap(text => shortScopes(tenant, text).split(' '))
  if (!scopes.every(scope => knownScopes.includes(scope))) return problems.unknownScope
  // documented: scope is optional. A scope that the application cannot have is refused with invalid_scope and code 70011.
  // [Microsoft identity platform, OAuth 2.0 authorization code flow]
  const refresh = form.get('refresh_token')
  if (form.get('grant_type') !== 'refresh_token' || refresh === null) return null
  const { accountId, issuedMs } = tenant.storage.refreshToken(refresh) ?? {}
  const from = tenant.users.byId(accountId ?? '')?.signInSessionsValidFromDateTime
  const isRevoked = from !== undefined && issuedMs !== undefined && issuedMs < Date.parse(from)
  return isRevoked ? problems.refreshRevoked : null
}

/** Maps the library's reasons for a refusal, which are texts for its log. */
const invalidGrants: readonly [RegExp, Problem][] = [
  [/already consumed/, problems.codeRedeemed],
  [/refresh token is expired/, problems.refreshExpired],
  [/is expired/, problems.codeExpired],
  [/redirect_uri mismatch/, problems.redirectMismatch],
  [/code_verifier|code_challenge/, problems.verifierMismatch],
]

/** Maps an error of the library at the token endpoint to one of Entra's. */
function problemFor(failure: errors.OIDCProviderError, form: URLSearchParams): Problem {
  if (failure instanceof EntraError) return failure.problem
  const detail = failure.error_detail ?? ''
  const description = failure.error_description ?? ''
  switch (failure.error) {
    case 'invalid_client':
      if (detail === 'client not found') {
        return isGuid(form.get('client_id') ?? '') ? problems.unknownClient : problems.malformedClient
      }
      return problems.missingSecret
    case 'invalid_grant':
      return invalidGrants.find(([reason]) => reason.test(detail))?.[1] ?? problems.grantInvalid
    case 'unsupported_grant_type':
      return problems.grantType
    case 'invalid_scope':
      return problems.unknownScope
    default:
      if (description.includes('grant type is not allowed')) return problems.grantType
      if (description.startsWith('missing required')) return problems.missingParameter
      return description.includes('code_verifier') ? problems.verifierMismatch : problems.malformedRequest
  }
}

const without = (scopes: string, unwanted: string): string =>
  scopes
    .split(' ')
    .filter(scope => scope !== unwanted)
    .join(' ')

/** Returns a successful answer of the token endpoint. */
export const tokenAnswer = (body: object): HttpAnswer =>
  jsonAnswer(
    200,
    {
      token_type: 'Bearer',
      expires_in: accessTokenSeconds - 1,
      ext_expires_in: accessTokenSeconds - 1,
      ...body,
    },
    noStore,
  )

/** Checks a client assertion and replaces it with a secret that the library accepts. */
async function proveByAssertion(call: LoginCall, { proven }: OAuthProvider): Promise<Problem | null> {
  const { form, tenant } = call
  const credentials = credentialsOf(tenant, form.get('client_id') ?? '')
  // The library refuses an unknown application.
  const refusal = credentials && (await refuseAssertion(call, credentials))
  if (refusal) return refusal
  form.delete('client_assertion')
  form.delete('client_assertion_type')
  form.set('client_secret', proven)
  return null
}

/** Answers a token request with a code or a refresh token. */
export async function grantAnswer(call: LoginCall, provider: OAuthProvider): Promise<HttpAnswer> {
  const { tenant, form } = call
  const refusal = refuseTokenRequest(call)
  if (refusal !== null) return jsonFailure(call, refusal)
  if (form.has('client_assertion')) {
    const unproven = await proveByAssertion(call, provider)
    if (unproven) return jsonFailure(call, unproven)
  }
  if (tenant.storage.lacksChallenge(form.get('code') ?? '')) form.delete('code_verifier')
  const [scope, ...others] = form.getAll('scope')
  if (scope !== undefined && others.length === 0)
    form.set('scope', without(shortScopes(tenant, scope), 'offline_access'))
  const { authorization: _authorization, ...headers } = call.headers
  const node = nodeExchange({ ...call, headers }, form.toString())
  const { answer, failure } = await provider.answer(node)
  if (failure !== null) return jsonFailure(call, problemFor(failure, form))
  const granted = JSON.parse(String(answer.body)) as Record<string, unknown>
  const { id_token: idToken } = granted
  const clientInfo = form.get('client_info') === '1' ? await clientInfoOf(call, provider, granted) : {}
  return tokenAnswer({
    ...granted,
    ...(typeof idToken === 'string' && { id_token: provider.withType(idToken) }),
    scope: without(String(granted['scope']), refreshScope),
    expires_in: accessTokenSeconds - 1,
    ...clientInfo,
  })
}

async function clientInfoOf({ tenant }: LoginCall, { library }: OAuthProvider, granted: object) {
  // observed: With client_info=1, the response contains client_info: the object ID and the tenant id in base64url. [the source
  // of MSAL for Node and Python, 2026]
  const token = await library.AccessToken.find('access_token' in granted ? String(granted.access_token) : '')
  return token && { client_info: encodeJson({ uid: token.accountId, utid: tenant.tenantId }) }
}
