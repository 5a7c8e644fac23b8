import { errors } from 'oidc-provider'
import type { HttpAnswer } from '../../http/delivery.ts'
import { locationOf, redirectAnswer } from '../answer.ts'
import { EntraError, type Problem, problems } from './aadsts.ts'
import type { LoginCall } from './call.ts'
import { redirectFields } from './failures.ts'
import { errorPage } from './pages.ts'
import type { ProviderAnswer } from './provider.ts'

/** Maps an error of the library at the authorize endpoint to one of Entra's. */
function problemFor(failure: errors.OIDCProviderError, parameters: URLSearchParams): Problem {
  const cause = problemOfError(failure, parameters)
  const asksForIdToken = parameters.get('response_type')?.split(' ').includes('id_token')
  return cause === problems.responseType && asksForIdToken ? problems.idToken : cause
}

function problemOfError(failure: errors.OIDCProviderError, parameters: URLSearchParams): Problem {
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
  const missing = description.startsWith('missing required') || !parameters.get('response_type')
  if (error === 'invalid_request' && missing) return problems.missingParameter
  const mode = error === 'unsupported_response_mode' || description.includes('response_mode')
  // Without a response_mode, the error is about the mode of the type, which the library checks later.
  if (mode) return parameters.has('response_mode') ? problems.responseMode : problems.responseType
  if (/PKCE|code_challenge/.test(description)) return problems.pkceRequired
  return problems.invalidParameter
}

const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url

/** Whether an answer redirects the browser to the application with a code or an error. */
function returnsToApplication(answer: HttpAnswer, redirectUris: readonly string[]): boolean {
  const location = URL.parse(locationOf(answer) ?? '')
  if (location === null) return false
  const registered = redirectUris.map(uri => withoutQuery(new URL(uri).href))
  const { href, searchParams } = location
  return registered.includes(withoutQuery(href)) && (searchParams.has('code') || searchParams.has('error'))
}

/** Sends the browser back with an error, or shows an error page if the redirect URI is not registered. */
export function failedAuthorization(call: LoginCall, cause: Problem): HttpAnswer {
  const { parameters, tenant } = call
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri === null || !tenant.redirectUris.includes(redirectUri)) return errorPage(call, cause)
  const back = new URL(redirectUri)
  for (const [name, value] of redirectFields(call, cause)) back.searchParams.set(name, value)
  const state = parameters.get('state')
  if (state !== null) back.searchParams.set('state', state)
  return redirectAnswer(302, back.href)
}

/** Sends the browser back to the application with the library's other headers. */
function sendBack(back: URL, { location: _location, ...headers }: HttpAnswer['headers']): HttpAnswer {
  return redirectAnswer(302, back.href, headers)
}

/** Converts the library's answer at the authorize endpoint to that of Entra. */
export function shapeAuthorization(call: LoginCall, { answer, failure }: ProviderAnswer): HttpAnswer {
  const { parameters, tenant } = call
  const location = locationOf(answer)
  if (failure !== null) {
    const cause = problemFor(failure, parameters)
    if (location === null) return errorPage(call, cause)
    const back = new URL(location)
    // The library uses the fragment for a response type other than `code`, even when it refuses the type.
    const fragment = new URLSearchParams(back.hash.slice(1))
    const state = back.searchParams.get('state') ?? fragment.get('state') ?? undefined
    back.hash = ''
    for (const name of ['error', 'error_description', 'iss', 'state', 'scope']) back.searchParams.delete(name)
    for (const [name, value] of redirectFields(call, cause)) back.searchParams.set(name, value)
    if (state !== undefined) back.searchParams.set('state', state)
    return sendBack(back, answer.headers)
  }
  if (location === null || !returnsToApplication(answer, tenant.redirectUris)) return answer
  const back = new URL(location)
  back.searchParams.delete('iss')
  back.searchParams.set('session_state', tenant.ids.uuid())
  return sendBack(back, answer.headers)
}
