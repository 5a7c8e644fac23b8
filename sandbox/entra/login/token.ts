import type { errors } from 'oidc-provider'
import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { knownScopes, type Tenant } from '../tenant.ts'
import { EntraError, envelope, isGuid, type Marks, type Problem, problems } from './aadsts.ts'
import type { ProviderAnswer } from './provider.ts'

const accessTokenSeconds = 3600

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** Checks a token request before the library does. */
export function refuseTokenRequest(
  headers: Readonly<Record<string, string>>,
  form: URLSearchParams,
): Problem | undefined {
  if (headers['origin'] !== undefined) return problems.crossOrigin
  if (!form.get('grant_type') || !form.get('client_id')) return problems.missingParameter
  const scopes = form.get('scope')?.split(' ') ?? []
  return scopes.every(scope => knownScopes.includes(scope)) ? undefined : problems.unknownScope
}

/** The library's reasons for a refusal, which it has only as a text for its log. */
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
      return invalidGrants.find(([reason]) => reason.test(detail))?.[1] ?? problems.codeInvalid
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

export const failedToken = (cause: Problem, marks: Marks, { instance }: Tenant): HttpAnswer =>
  jsonAnswer(cause.status, envelope(cause, marks, instance), noStore)

/** Turns the library's answer at the token endpoint into Entra's. */
export function shapeToken(
  { answer, failure }: ProviderAnswer,
  form: URLSearchParams,
  marks: Marks,
  tenant: Tenant,
): HttpAnswer {
  if (failure !== undefined) return failedToken(problemFor(failure, form), marks, tenant)
  const granted = JSON.parse(String(answer.body)) as Record<string, unknown>
  return jsonAnswer(
    answer.status,
    { ...granted, expires_in: accessTokenSeconds - 1, ext_expires_in: accessTokenSeconds - 1 },
    noStore,
  )
}
