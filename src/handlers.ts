import { createHealth } from './employees/health.ts'
import { type Answer, type RouteHandler, refusedCrossSite } from './http/answer.ts'
import { clearCookie, readCookie, sessionCookie } from './http/cookies.ts'
import { isSameOrigin } from './http/headers.ts'
import { checkSession, type User } from './session/check.ts'
import { readSession } from './session/session.ts'
import { completeSignIn, type SignInParts, startSignIn } from './sign-in/sign-in.ts'

const cookiesOf = (request: Request) => request.headers.get('cookie')
const queryOf = (request: Request) => new URL(request.url).searchParams

/** What each route of the interface does. */
export function createHandlers(parts: SignInParts) {
  const { settings, sessions, directory, now } = parts
  const { origin } = new URL(settings.redirectUri)
  const isHealthy = createHealth(directory, now)

  const loginUrl: RouteHandler = async request => {
    const selectAccount = queryOf(request).get('prompt') === 'select_account'
    const { url, setCookie } = await startSignIn(parts, cookiesOf(request), selectAccount)
    return { response: Response.json({ url }), setCookies: [setCookie] }
  }

  const callback: RouteHandler = async (request, { keepAlive }) => {
    const work = completeSignIn(parts, queryOf(request), cookiesOf(request))
    keepAlive?.(work.catch(() => undefined))
    const { setCookies, ...result } = await work
    if (result.kind === 'user') {
      const { user } = result
      return { response: Response.json({ user }), setCookies, log: { employeeId: user.resourceId } }
    }
    const { problem, employeeId, error, number, suspicious } = result
    return {
      problem,
      setCookies,
      log: { employeeId, providerError: error, providerNumber: number, security: suspicious || undefined },
    }
  }

  async function withUser(request: Request, respond: (user: User) => Response): Promise<Answer> {
    const cookies = cookiesOf(request)
    const check = await checkSession(sessions, directory, cookies)
    if (check.kind === 'user') {
      const { user, setCookie } = check
      const log = { employeeId: user.resourceId }
      return { response: respond(user), setCookies: setCookie ? [setCookie] : [], log }
    }
    const dead = readCookie(cookies, sessionCookie) === null ? [] : [clearCookie(sessionCookie)]
    return { problem: { code: check.code }, setCookies: dead, log: { employeeId: check.employeeId } }
  }

  const session: RouteHandler = request => withUser(request, user => Response.json({ user }))

  /** Header values are ASCII, names are not: those are percent-encoded, and of an id what is no visible ASCII, and %. */
  const forward: RouteHandler = request =>
    withUser(request, ({ username, resourceId, isAdmin }) => {
      const headers = {
        'x-homeport-username': encodeURIComponent(username),
        'x-homeport-resource-id': resourceId.toWellFormed().replace(/[^!-$&-~]/gu, encodeURIComponent),
        'x-homeport-is-admin': isAdmin ? '1' : '0',
      }
      return new Response(null, { status: 204, headers })
    })

  const logout: RouteHandler = async request => {
    if (!isSameOrigin(request.headers, origin)) return refusedCrossSite
    const ending = await readSession(sessions, cookiesOf(request))
    if (ending) await directory.endSession(ending.id, now(), ending.expiresAt)
    return {
      response: new Response(null, { status: 204 }),
      setCookies: [clearCookie(sessionCookie)],
      log: { employeeId: ending?.claims.resourceId },
    }
  }

  const health: RouteHandler = async () => {
    const ok = await isHealthy()
    return { response: Response.json({ status: ok ? 'ok' : 'unavailable' }, { status: ok ? 200 : 503 }) }
  }

  return { loginUrl, callback, session, forward, logout, health }
}
