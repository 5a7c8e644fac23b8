import type { errors } from 'oidc-provider'
import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { credentialsOf, profileScope } from '../tenant.ts'
import { EntraError, isGuid, type Problem, problems } from './aadsts.ts'
import { refuseAssertion } from './assertion.ts'
import type { LoginCall } from './call.ts'
import { jsonFailure, noStore } from './failures.ts'
import { nodeExchange } from './node-exchange.ts'
import type { OAuthProvider } from './provider.ts'

const accessTokenSeconds = 3600
/** Checks a token request before the library does. */
function refuseTokenRequest({ headers, form }: LoginCall): Problem | null {
  if (headers['origin'] !== undefined) return problems.crossOrigin
  if (!form.get('grant_type') || !form.get('client_id')) return problems.missingParameter
  const scopes = form.getAll('scope').flatMap(text => text.split(' '))
  // documented: scope is optional. A scope that the application cannot have is refused with invalid_scope and code 70011.
  // [Microsoft identity platform, OAuth 2.0 authorization code flow]
  return scopes.every(scope => scope === profileScope) ? null : problems.unknownScope
}

/** Maps the library's reasons for a refusal, which are texts for its log. */
const invalidGrants: readonly [RegExp, Problem][] = [
  [/already consumed/, problems.codeRedeemed],
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

/** Answers a token request with a code. */
export async function grantAnswer(call: LoginCall, provider: OAuthProvider): Promise<HttpAnswer> {
  const { form } = call
  const refusal = refuseTokenRequest(call)
  if (refusal !== null) return jsonFailure(call, refusal)
  if (form.has('client_assertion')) {
    const unproven = await proveByAssertion(call, provider)
    if (unproven) return jsonFailure(call, unproven)
  }
  const { authorization: _authorization, ...headers } = call.headers
  const node = nodeExchange({ ...call, headers }, form.toString())
  const { answer, failure } = await provider.answer(node)
  if (failure !== null) return jsonFailure(call, problemFor(failure, form))
  return tokenAnswer({ ...JSON.parse(String(answer.body)), expires_in: accessTokenSeconds - 1 })
}
