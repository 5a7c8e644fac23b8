import { Hono } from 'hono/tiny'
import type { Settings } from './config.ts'
import { clearCookie, readCookie, sessionCookie } from './cookies.ts'
import { type EmployeeDirectory, StoreFailure } from './employees/directory.ts'
import { isCrossSite, isPrefetch, isSameOrigin, secure } from './headers.ts'
import { createHealth } from './health.ts'
import { createInFlight } from './in-flight.ts'
import type { Log, LogEntry } from './log.ts'
import { openapi } from './openapi.ts'
import type { Page } from './pages/page.ts'
import { buildPages } from './pages/pages.ts'
import { type Problem, problemResponse } from './problem.ts'
import { createProvider } from './provider.ts'
import { routes } from './routes.ts'
import { createSealer } from './seal.ts'
import { readSession, type SessionRules } from './session.ts'
import { checkSession } from './session-check.ts'
import { completeSignIn, type SignIn, type SignInParts, startSignIn } from './sign-in.ts'

export interface AppParts {
  readonly settings: Settings
  readonly directory: EmployeeDirectory
  readonly log: Log
  /** Unix time in milliseconds. */
  readonly now?: () => number
}

/** What an entry gives along with a request. */
export interface RequestContext {
  /** Lets work go on after the browser has gone away, where a runtime would stop it. */
  readonly keepAlive?: (work: Promise<unknown>) => void
}

/** What a route answers with: a response, or a failure; and what is logged of either. */
interface Answer {
  readonly response?: Response
  readonly problem?: Problem
  readonly setCookies?: readonly string[]
  readonly log?: Partial<LogEntry>
}

type Handler = (request: Request, context: RequestContext) => Answer | Promise<Answer>

/**
 * Who may call a route, judged by the headers browsers send of themselves: pages of this site or the person; whoever
 * comes by a link, as long as somebody really comes; proxies and monitors too.
 */
type Callers = 'this-site' | 'visitors' | 'anyone'

/** The handler as a function from request to response, the same for every runtime. Never rejects. */
export function createApp(
  parts: AppParts,
): (request: Request, context?: RequestContext) => Promise<Response> {
  const { settings, directory, log, now = Date.now } = parts
  const sealer = createSealer(settings.sessionKeys)
  const { sessionLifetimeMs: lifetimeMs, sessionIdleMs: idleMs } = settings
  const sessions: SessionRules = { sealer, lifetimeMs, idleMs, now }
  const provider = createProvider(settings)
  const inFlight = createInFlight<SignIn>(now)
  const signIn: SignInParts = { settings, sealer, sessions, provider, directory, inFlight, now }
  const redirect = new URL(settings.redirectUri)
  const pages = buildPages(settings.legacyLoginUrl)
  const isHealthy = createHealth(directory, now)

  const handlers: readonly (readonly ['GET' | 'POST', string, Callers, Handler])[] = [
    [
      'GET',
      routes.loginUrl,
      'this-site',
      async request => {
        const selectAccount = new URL(request.url).searchParams.get('prompt') === 'select_account'
        const { url, setCookie } = await startSignIn(signIn, request.headers.get('cookie'), selectAccount)
        return { response: Response.json({ url }), setCookies: [setCookie] }
      },
    ],
    [
      'GET',
      routes.callback,
      'this-site',
      async (request, { keepAlive }) => {
        const work = completeSignIn(signIn, new URL(request.url).searchParams, request.headers.get('cookie'))
        keepAlive?.(work.catch(() => undefined))
        const { setCookies, ...result } = await work
        if (result.kind === 'user') {
          const { user } = result
          return { response: Response.json({ user }), setCookies, log: { employeeId: user.resourceId } }
        }
        const { problem, employeeId, error, number, suspicious } = result
        const noted = {
          ...(employeeId ? { employeeId } : {}),
          ...(error ? { providerError: error } : {}),
          ...(number ? { providerNumber: number } : {}),
          ...(suspicious ? { security: true } : {}),
        }
        return { problem, setCookies, log: noted }
      },
    ],
    ['GET', routes.session, 'this-site', request => answerSession(request, user => Response.json({ user }))],
    // A proxy hands on the headers of a visit that may well have come from a link on another site.
    [
      'GET',
      routes.forward,
      'anyone',
      request =>
        answerSession(request, user => {
          const headers = {
            'x-homeport-username': encodeURIComponent(user.username),
            'x-homeport-resource-id': encodeURIComponent(user.resourceId),
            'x-homeport-is-admin': user.isAdmin ? '1' : '0',
          }
          return new Response(null, { status: 204, headers })
        }),
    ],
    [
      'POST',
      routes.logout,
      'this-site',
      async request => {
        if (!isSameOrigin(request.headers, redirect.origin)) return refusedCrossSite
        const session = await readSession(sessions, request.headers.get('cookie'))
        if (session) await directory.endSession(session.id, now(), session.expiresAt)
        const noted = session ? { employeeId: session.claims.resourceId } : {}
        return {
          response: new Response(null, { status: 204 }),
          setCookies: [clearCookie(sessionCookie)],
          log: noted,
        }
      },
    ],
    [
      'GET',
      routes.health,
      'anyone',
      async () => {
        const ok = await isHealthy()
        return { response: Response.json({ status: ok ? 'ok' : 'unavailable' }, { status: ok ? 200 : 503 }) }
      },
    ],
    ['GET', routes.openapi, 'anyone', () => ({ response: Response.json(openapi) })],
    ['GET', routes.signIn, 'visitors', async () => sendPage((await pages).signIn)],
    ['GET', routes.dashboard, 'visitors', async () => sendPage((await pages).dashboard)],
  ]

  async function answerSession(
    request: Request,
    respond: (user: { username: string; resourceId: string; isAdmin: boolean }) => Response,
  ): Promise<Answer> {
    const cookies = request.headers.get('cookie')
    const check = await checkSession(sessions, directory, cookies)
    if (check.kind === 'user') {
      const { user, setCookie } = check
      const noted = { employeeId: user.resourceId }
      return { response: respond(user), setCookies: setCookie ? [setCookie] : [], log: noted }
    }
    const dead = readCookie(cookies, sessionCookie) === null ? [] : [clearCookie(sessionCookie)]
    const noted = check.employeeId ? { employeeId: check.employeeId } : {}
    return { problem: { code: check.code }, setCookies: dead, log: noted }
  }

  /** Runs a route, and writes its one log line whatever happens. */
  async function run(
    route: string,
    callers: Callers,
    handler: Handler,
    request: Request,
    context: RequestContext,
  ) {
    const correlationId = crypto.randomUUID()
    const started = performance.now()
    const answer = await answerOf(callers, handler, request, context)
    const response =
      answer.response ?? problemResponse(answer.problem ?? { code: 'unexpected' }, correlationId)
    for (const cookie of answer.setCookies ?? []) response.headers.append('set-cookie', cookie)
    const { status } = response
    log({
      level: status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info',
      event: 'request',
      correlationId,
      method: request.method === 'GET' || request.method === 'POST' ? request.method : 'other',
      route,
      status,
      ...(answer.problem ? { code: answer.problem.code } : {}),
      durationMs: Math.round((performance.now() - started) * 10) / 10,
      ...answer.log,
    })
    return secure(response, correlationId, redirect.protocol === 'https:')
  }

  async function answerOf(callers: Callers, handler: Handler, request: Request, context: RequestContext) {
    // HEAD would run a GET and throw its answer away, a redeemed code with it.
    if (request.method === 'HEAD' && callers === 'this-site')
      return { problem: { code: 'not-found' } } as const
    if (callers === 'this-site' && isCrossSite(request.headers)) return refusedCrossSite
    if (callers !== 'anyone' && isPrefetch(request.headers)) return refusedCrossSite
    try {
      return await handler(request, context)
    } catch (error) {
      return failed(error)
    }
  }

  const hono = new Hono<{ Bindings: RequestContext }>()
  for (const [method, path, callers, handler] of handlers) {
    hono.on(method, path, c => run(path, callers, handler, c.req.raw, c.env))
  }
  const showCallback: Handler = async () => sendPage((await pages).callback)
  const nothing: Handler = () => ({ problem: { code: 'not-found' } })
  hono.all('*', c => {
    const callback = c.req.path === redirect.pathname && c.req.method === 'GET'
    return callback
      ? run('callback-page', 'visitors', showCallback, c.req.raw, c.env)
      : run('none', 'anyone', nothing, c.req.raw, c.env)
  })
  return async (request, context = {}) => hono.fetch(request, context)
}

const refusedCrossSite: Answer = { problem: { code: 'cross-site' }, log: { security: true } }

function sendPage({ html, policy }: Page): Answer {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
  return { response: new Response(html, { headers }) }
}

function failed(error: unknown): Answer {
  if (error instanceof StoreFailure) {
    return { problem: { code: 'employees-unavailable' }, log: { store: error.reason } }
  }
  return {
    problem: { code: 'unexpected' },
    log: { errorName: error instanceof Error ? error.name : typeof error },
  }
}
