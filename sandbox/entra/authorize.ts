import type { errors } from 'oidc-provider'
import { EntraError, type Marks, type Problem, problems, redirectFields } from './aadsts.ts'
import { type Answer, locationOf, redirectAnswer } from './answer.ts'
import { errorPage } from './pages.ts'
import type { ProviderAnswer } from './provider.ts'
import type { Site } from './site.ts'

/** Which of Entra's errors a refusal of the library at the authorize endpoint stands for. */
const problemFor = (failure: errors.OIDCProviderError): Problem => {
  if (failure instanceof EntraError) return failure.problem
  const { error, error_description: description = '' } = failure
  if (error === 'invalid_redirect_uri') return problems.redirectMismatch
  if (error === 'invalid_client') return problems.unknownClient
  if (error === 'login_required' || error === 'interaction_required') return problems.silentSignIn
  if (error === 'access_denied') return problems.cancelled
  if (error === 'invalid_scope') return problems.unknownScope
  if (error === 'unsupported_response_type') return problems.responseType
  if (error === 'unsupported_response_mode' || description.includes('response_mode'))
    return problems.responseMode
  if (description.includes('PKCE') || description.includes('code_challenge')) return problems.pkceRequired
  if (description.startsWith('missing required')) return problems.missingParameter
  if (failure.message === 'invalid_request' && /session|expired/.test(description))
    return problems.flowExpired
  return problems.invalidParameter
}

/** Whether an answer sends the browser back to the application. */
export const returnsToApplication = (answer: Answer, redirectUris: readonly string[]): boolean => {
  const location = locationOf(answer)
  return (
    location !== undefined &&
    redirectUris.some(uri => location.split('?', 1)[0] === new URL(uri).href.split('?', 1)[0])
  )
}

/**
 * The redirect back to the application with a failure. Without a registered `redirectUri` nobody is sent anywhere:
 * the user sees a page.
 */
export const failedAuthorization = (
  cause: Problem,
  marks: Marks,
  { instance, redirectUris }: Site,
  redirectUri: string | undefined,
  state: string | undefined,
): Answer => {
  if (redirectUri === undefined || !redirectUris.includes(redirectUri)) return errorPage(cause, marks)
  const location = new URL(redirectUri)
  for (const [name, value] of redirectFields(cause, marks, instance)) location.searchParams.set(name, value)
  if (state !== undefined) location.searchParams.set('state', state)
  return redirectAnswer(302, location.href)
}

/** Makes of the library's answer at the authorize endpoint the one that Entra gives. */
export const shapeAuthorization = ({ answer, failure }: ProviderAnswer, marks: Marks, site: Site): Answer => {
  const location = locationOf(answer)
  if (failure !== undefined) {
    const cause = problemFor(failure)
    if (location === undefined) return errorPage(cause, marks)
    const back = new URL(location)
    // The library answers a response type that is not `code` in the fragment, although it refuses it.
    const fragment = new URLSearchParams(back.hash.slice(1))
    const state = back.searchParams.get('state') ?? fragment.get('state') ?? undefined
    back.hash = ''
    for (const name of ['error', 'error_description', 'iss', 'state', 'scope']) back.searchParams.delete(name)
    for (const [name, value] of redirectFields(cause, marks, site.instance))
      back.searchParams.set(name, value)
    if (state !== undefined) back.searchParams.set('state', state)
    return { ...answer, status: 302, headers: { ...answer.headers, location: back.href }, body: '' }
  }
  if (location === undefined || !returnsToApplication(answer, site.redirectUris)) return answer
  const back = new URL(location)
  back.searchParams.delete('iss')
  back.searchParams.set('session_state', site.draws.guid())
  return { ...answer, status: 302, headers: { ...answer.headers, location: back.href }, body: '' }
}
