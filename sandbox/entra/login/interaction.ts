import { errors } from 'oidc-provider'
import type { HttpAnswer } from '../../http/delivery.ts'
import { redirectAnswer } from '../answer.ts'
import { pathsOf, type Tenant } from '../tenant.ts'
import { problems } from './aadsts.ts'
import type { LoginCall } from './call.ts'
import { type NodeExchange, nodeExchange } from './node-exchange.ts'
import { errorPage, nothingHere, pickerPage } from './pages.ts'
import type { OAuthProvider } from './provider.ts'

/**
 * Completes a sign-in, and switches the browser's session to the picked account. Otherwise the library would first sign the old
 * account out, with a form that only a script submits.
 */
async function finish(
  { library }: OAuthProvider,
  { request, response }: NodeExchange,
  sessionUid: string | undefined,
  accountId: string,
): Promise<HttpAnswer> {
  // Picking an account satisfies every prompt.
  const result = { login: { accountId }, select_account: {}, consent: {} }
  const returnTo = await library.interactionResult(request, response, result)
  const session = sessionUid === undefined ? undefined : await library.Session.findByUid(sessionUid)
  if (session !== undefined && session.accountId !== accountId) {
    // assumed: A browser has one signed-in account. The real service keeps several. [a decision of this project]
    session.accountId = accountId
    delete session.authorizations
    await session.persist()
  }
  return redirectAnswer(303, returnTo)
}

/**
 * Answers requests for the sign-in page and its forms, below `/interaction/{uid}`. In the body of a POST, `account` is the
 * principal name of a user.
 */
export async function interactionAnswer(call: LoginCall, provider: OAuthProvider): Promise<HttpAnswer> {
  const { tenant, method, path, form } = call
  const browser = nodeExchange(call, form.toString())
  const [, root = '', uid = '', action, ...rest] = path.split('/')
  const operation = `${method} ${action ?? ''}`
  if (rest.length > 0 || !['GET ', 'POST login', 'POST cancel'].includes(operation)) return nothingHere(path)
  try {
    const details = await provider.library.interactionDetails(browser.request, browser.response)
    if (details.uid !== uid) return errorPage(call, problems.flowExpired)
    // assumed: Picking an account completes every step of a sign-in, including consent. [a decision of this project]
    if (operation === 'POST cancel') {
      const result = { error: 'access_denied', error_description: 'cancelled' }
      return redirectAnswer(
        303,
        await provider.library.interactionResult(browser.request, browser.response, result),
      )
    }
    if (operation === 'GET ') return pickerPage(`/${root}/${uid}`, tenant.users.all)
    const user = tenant.users.byPrincipalName(form.get('account') ?? '')
    if (user === null) return errorPage(call, problems.userUnknown)
    return await finish(provider, browser, details.session?.uid, user.id)
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return errorPage(call, problems.flowExpired)
    throw error
  }
}

/** Whether a path belongs to the sign-in page. */
export const isInteraction = (tenant: Tenant, path: string): boolean =>
  path.startsWith(`${pathsOf(tenant.tenantId).interaction}/`)
