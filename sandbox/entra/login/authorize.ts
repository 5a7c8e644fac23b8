import type { HttpAnswer } from '../../http/delivery.ts'
import { redirectAnswer } from '../answer.ts'
import { pathsOf, profileScope, redirectUrisOf } from '../tenant.ts'
import { type Problem, problems } from './aadsts.ts'
import type { LoginCall } from './call.ts'
import { cookieOf, setCookie } from './cookies.ts'
import { redirectFields } from './failures.ts'
import { errorPage } from './pages.ts'
import type { SignInRequest } from './sign-ins.ts'

type Headers = HttpAnswer['headers']

/** A SHA-256 hash in base64url (RFC 7636 section 4.2). */
const challengeRule = /^[\w-]{43}$/
const prompts = [null, 'none', 'select_account']

/** Checks what decides whether the browser may be sent back at all. */
function refusePage({ parameters, tenant }: LoginCall): Problem | null {
  const clientId = parameters.get('client_id')
  const redirectUri = parameters.get('redirect_uri')
  if (!clientId || !redirectUri) return problems.missingParameter
  const registered = redirectUrisOf(tenant, clientId)
  if (registered === null) return problems.unknownClient
  return registered.includes(redirectUri) ? null : problems.redirectMismatch
}

/** Checks the other parameters. Refuses what the service has and no client here sends. */
function refuseRequest(parameters: URLSearchParams): Problem | null {
  const type = parameters.get('response_type')
  const scope = parameters.get('scope')
  if (new Set(parameters.keys()).size < parameters.size) return problems.invalidParameter
  if (!type || !scope) return problems.missingParameter
  if (type.split(' ').includes('id_token')) return problems.idToken
  if (type !== 'code') return problems.responseType
  if ((parameters.get('response_mode') ?? 'query') !== 'query') return problems.responseMode
  const isHashed = parameters.get('code_challenge_method') === 'S256'
  if (!isHashed || !challengeRule.test(parameters.get('code_challenge') ?? '')) return problems.pkceRequired
  if (scope !== profileScope) return problems.unknownScope
  return prompts.includes(parameters.get('prompt')) ? null : problems.invalidParameter
}

/** Sends the browser back to the application. */
function sendBack(
  { redirectUri, state }: Pick<SignInRequest, 'redirectUri' | 'state'>,
  fields: readonly (readonly [string, string])[],
  headers: Headers = {},
): HttpAnswer {
  const back = new URL(redirectUri)
  for (const [name, value] of fields) back.searchParams.set(name, value)
  if (state !== null) back.searchParams.set('state', state)
  return redirectAnswer(302, back.href, headers)
}

/** Sends the browser back with a code. */
export function sendCode(
  { tenant }: LoginCall,
  request: SignInRequest,
  userId: string,
  headers: Headers = {},
): HttpAnswer {
  const code = tenant.signIns.codes.add({ ...request, userId, isRedeemed: false })
  const fields = [['code', code] as const, ['session_state', tenant.ids.uuid()] as const]
  return sendBack(request, fields, headers)
}

/** Sends the browser back with an error. */
export const sendError = (
  call: LoginCall,
  request: Pick<SignInRequest, 'redirectUri' | 'state'>,
  cause: Problem,
): HttpAnswer => sendBack(request, redirectFields(call, cause))

/** Sends the browser back with an error, or shows an error page if the redirect URI is not registered. */
export function failedAuthorization(call: LoginCall, cause: Problem): HttpAnswer {
  const { parameters } = call
  const redirectUri = parameters.get('redirect_uri') ?? ''
  return refusePage(call)
    ? errorPage(call, cause)
    : sendError(call, { redirectUri, state: parameters.get('state') }, cause)
}

/** Answers a request to sign a user in: with a code, the account picker, or an error. */
export function authorizeAnswer(call: LoginCall): HttpAnswer {
  const { parameters, tenant } = call
  const refused = refusePage(call)
  if (refused) return errorPage(call, refused)
  const problem = refuseRequest(parameters)
  if (problem) return failedAuthorization(call, problem)
  const request: SignInRequest = {
    clientId: parameters.get('client_id') ?? '',
    redirectUri: parameters.get('redirect_uri') ?? '',
    challenge: parameters.get('code_challenge') ?? '',
    state: parameters.get('state'),
  }
  const userId = tenant.signIns.sessions.live(cookieOf(call, 'entra_session'))
  if (userId !== null && tenant.users.byId(userId) === null) return errorPage(call, problems.userUnknown)
  const hinted = tenant.users.byPrincipalName(parameters.get('login_hint') ?? '')
  const isHinted = hinted === null || hinted.id === userId
  const prompt = parameters.get('prompt')
  if (userId !== null && isHinted && prompt !== 'select_account') return sendCode(call, request, userId)
  if (prompt === 'none') return failedAuthorization(call, problems.silentSignIn)
  const id = tenant.signIns.interactions.add(request)
  const path = `${pathsOf(tenant.tenantId).interaction}/${id}`
  return redirectAnswer(303, path, setCookie(call, 'entra_interaction', id, path))
}
