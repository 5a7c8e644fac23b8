import type { HttpAnswer } from '../../http/delivery.ts'
import { pathsOf, type Tenant } from '../tenant.ts'
import { problems } from './aadsts.ts'
import { sendCode, sendError } from './authorize.ts'
import type { LoginCall } from './call.ts'
import { cookieOf, setCookie } from './cookies.ts'
import { errorPage, nothingHere, pickerPage } from './pages.ts'

/**
 * Answers requests for the sign-in page and its forms, below `/interaction/{id}`. In the body of a POST, `account` is the
 * principal name of a user.
 */
export function interactionAnswer(call: LoginCall): HttpAnswer {
  const { tenant, method, path, form } = call
  const { interactions, sessions } = tenant.signIns
  const [, root = '', id = '', action = '', ...rest] = path.split('/')
  const operation = `${method} ${action}`
  if (rest.length > 0 || !['GET ', 'POST login', 'POST cancel'].includes(operation)) return nothingHere(path)
  const request = interactions.live(id)
  // Another browser does not have the cookie.
  if (request === null || cookieOf(call, 'entra_interaction') !== id)
    return errorPage(call, problems.flowExpired)
  // assumed: Picking an account completes every step of a sign-in, including consent. [a decision of this project]
  if (operation === 'GET ') return pickerPage(`/${root}/${id}`, tenant.users.all)
  const user = tenant.users.byPrincipalName(form.get('account') ?? '')
  if (operation === 'POST login' && user === null) return errorPage(call, problems.userUnknown)
  interactions.remove(id)
  if (user === null) return sendError(call, request, problems.cancelled)
  // assumed: A browser has one signed-in account. The real service keeps several. [a decision of this project]
  return sendCode(call, request, user.id, setCookie(call, 'entra_session', sessions.add(user.id)))
}

/** Whether a path belongs to the sign-in page. */
export const isInteraction = (tenant: Tenant, path: string): boolean =>
  path.startsWith(`${pathsOf(tenant.tenantId).interaction}/`)
