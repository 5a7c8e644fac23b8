import { errors } from 'oidc-provider'
import type { HttpAnswer } from '../../http/delivery.ts'
import { locationOf, redirectAnswer } from '../answer.ts'
import type { Tenant } from '../tenant.ts'
import { EntraError, type Marks, type Problem, problems, redirectFields } from './aadsts.ts'
import { errorPage } from './pages.ts'
import type { ProviderAnswer } from './provider.ts'

/** Maps an error of the library at the authorize endpoint to one of Entra's. */
function problemFor(failure: errors.OIDCProviderError, asked: URLSearchParams): Problem {
  if (failure instanceof EntraError) return failure.problem
  if (failure instanceof errors.SessionNotFound) return problems.flowExpired
  const { error, error_description: description = '' } = failure
  if (error === 'invalid_redirect_uri') return problems.redirectMismatch
  if (error === 'invalid_client') return problems.unknownClient
  if (error === 'login_required' || error === 'interaction_required') return problems.silentSignIn
  if (error === 'access_denied') return problems.cancelled
  if (error === 'invalid_scope') return problems.unknownScope
  if (error === 'unsupported_response_type') return problems.responseType
  // The library checks the response mode before a missing response type.
  const missing = description.startsWith('missing required') || !asked.get('response_type')
  if (error === 'invalid_request' && missing) return problems.missingParameter
  const mode = error === 'unsupported_response_mode' || description.includes('response_mode')
  // Without a response_mode, the error is about the mode of the type, which the library checks later.
  if (mode) return asked.has('response_mode') ? problems.responseMode : problems.responseType
  if (/PKCE|code_challenge/.test(description)) return problems.pkceRequired
  return problems.invalidParameter
}

const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url

/** Whether an answer redirects the browser to the application with a code or an error. */
export function returnsToApplication(answer: HttpAnswer, redirectUris: readonly string[]): boolean {
  const location = URL.parse(locationOf(answer) ?? '')
  if (location === null) return false
  const registered = redirectUris.map(uri => withoutQuery(new URL(uri).href))
  const { href, searchParams } = location
  return registered.includes(withoutQuery(href)) && (searchParams.has('code') || searchParams.has('error'))
}

/**
 * Returns the redirect to the application with an error, or an error page if the redirect URI is not registered.
 */
export function failedAuthorization(
  cause: Problem,
  marks: Marks,
  { instance, redirectUris }: Tenant,
  redirectUri: string | undefined,
  state: string | undefined,
): HttpAnswer {
  if (redirectUri === undefined || !redirectUris.includes(redirectUri)) return errorPage(cause, marks)
  const location = new URL(redirectUri)
  for (const [name, value] of redirectFields(cause, marks, instance)) location.searchParams.set(name, value)
  if (state !== undefined) location.searchParams.set('state', state)
  return redirectAnswer(302, location.href)
}

/**
 * Turns the library's answer at the authorize endpoint into Entra's.
 * @param asked parameters of the request
 */
export function shapeAuthorization(
  { answer, failure }: ProviderAnswer,
  asked: URLSearchParams,
  marks: Marks,
  tenant: Tenant,
): HttpAnswer {
  const location = locationOf(answer)
  if (failure !== undefined) {
    const cause = problemFor(failure, asked)
    if (location === undefined) return errorPage(cause, marks)
    const back = new URL(location)
    // The library uses the fragment for a response type other than `code`, even when it refuses the type.
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
