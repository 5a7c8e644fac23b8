import { errors } from 'oidc-provider'
import type { HttpAnswer } from '../../http/delivery.ts'
import { locationOf, redirectAnswer } from '../answer.ts'
import type { Tenant } from '../tenant.ts'
import { EntraError, type Marks, type Problem, problems, redirectFields } from './aadsts.ts'
import { errorPage } from './pages.ts'
import type { ProviderAnswer } from './provider.ts'

/** Which of Entra's errors a refusal of the library at the authorize endpoint stands for. */
const problemFor = (failure: errors.OIDCProviderError, asked: URLSearchParams): Problem => {
  if (failure instanceof EntraError) return failure.problem
  if (failure instanceof errors.SessionNotFound) return problems.flowExpired
  const { error, error_description: description = '' } = failure
  if (error === 'invalid_redirect_uri') return problems.redirectMismatch
  if (error === 'invalid_client') return problems.unknownClient
  if (error === 'login_required' || error === 'interaction_required') return problems.silentSignIn
  if (error === 'access_denied') return problems.cancelled
  if (error === 'invalid_scope') return problems.unknownScope
  if (error === 'unsupported_response_type') return problems.responseType
  // The library looks at the response mode before it misses the response type.
  const missing = description.startsWith('missing required') || !asked.get('response_type')
  if (error === 'invalid_request' && missing) return problems.missingParameter
  const mode = error === 'unsupported_response_mode' || description.includes('response_mode')
  // Where none was asked for, it is the one that belongs to the type, which is looked at later.
  if (mode) return asked.has('response_mode') ? problems.responseMode : problems.responseType
  if (/PKCE|code_challenge/.test(description)) return problems.pkceRequired
  return problems.invalidParameter
}

const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url

/** Whether an answer sends the browser back to the application with a code or an error. */
export const returnsToApplication = (answer: HttpAnswer, redirectUris: readonly string[]): boolean => {
  const location = URL.parse(locationOf(answer) ?? '')
  if (location === null) return false
  const registered = redirectUris.map(uri => withoutQuery(new URL(uri).href))
  const { href, searchParams } = location
  return registered.includes(withoutQuery(href)) && (searchParams.has('code') || searchParams.has('error'))
}

/**
 * The redirect back to the application with a failure. Without a registered `redirectUri` nobody is sent anywhere:
 * the user sees a page.
 */
export const failedAuthorization = (
  cause: Problem,
  marks: Marks,
  { instance, redirectUris }: Tenant,
  redirectUri: string | undefined,
  state: string | undefined,
): HttpAnswer => {
  if (redirectUri === undefined || !redirectUris.includes(redirectUri)) return errorPage(cause, marks)
  const location = new URL(redirectUri)
  for (const [name, value] of redirectFields(cause, marks, instance)) location.searchParams.set(name, value)
  if (state !== undefined) location.searchParams.set('state', state)
  return redirectAnswer(302, location.href)
}

/**
 * Makes of the library's answer at the authorize endpoint the one that Entra gives.
 * @param asked parameters of the request
 */
export const shapeAuthorization = (
  { answer, failure }: ProviderAnswer,
  asked: URLSearchParams,
  marks: Marks,
  tenant: Tenant,
): HttpAnswer => {
  const location = locationOf(answer)
  if (failure !== undefined) {
    const cause = problemFor(failure, asked)
    if (location === undefined) return errorPage(cause, marks)
    const back = new URL(location)
    // The library answers a response type that is not `code` in the fragment, although it refuses it.
    const fragment = new URLSearchParams(back.hash.slice(1))
    const state = back.searchParams.get('state') ?? fragment.get('state') ?? undefined
    back.hash = ''
    for (const name of ['error', 'error_description', 'iss', 'state', 'scope']) back.searchParams.delete(name)
    const fields = redirectFields(cause, marks, tenant.instance)
    for (const [name, value] of fields) back.searchParams.set(name, value)
    if (state !== undefined) back.searchParams.set('state', state)
    return { ...answer, status: 302, headers: { ...answer.headers, location: back.href }, body: '' }
  }
  if (location === undefined || !returnsToApplication(answer, tenant.redirectUris)) return answer
  const back = new URL(location)
  back.searchParams.delete('iss')
  back.searchParams.set('session_state', tenant.ids.uuid())
  return { ...answer, status: 302, headers: { ...answer.headers, location: back.href }, body: '' }
}
