import { Hono } from 'hono/tiny'
import type { EmployeeDirectory } from './employees/directory.ts'
import { createHandlers } from './handlers.ts'
import { type Callers, type RequestContext, type Route, type RouteHandler, respond } from './http/answer.ts'
import type { Log } from './http/log.ts'
import { openapi } from './http/openapi.ts'
import { buildPages, type Pages } from './pages/pages.ts'
import { routes } from './routes.ts'
import { type Cryptography, webCryptography } from './session/cryptography.ts'
import { createSealer } from './session/seal.ts'
import type { Settings } from './settings/settings.ts'
import { createProvider } from './sign-in/provider.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import { createSingleFlight } from './sign-in/single-flight.ts'
import type { Transport } from './sign-in/transport.ts'

export interface AppParts {
  readonly settings: Settings
  readonly directory: EmployeeDirectory
  readonly log: Log
  /** The way to the provider. */
  readonly transport: Transport
  /** WebCrypto, unless the runtime has something quicker. */
  readonly cryptography?: Cryptography
  /** Unix time in milliseconds. */
  readonly now?: () => number
}

/** The handler as a function from request to response, the same for every runtime. Never rejects. */
export function createApp(
  parts: AppParts,
): (request: Request, context?: RequestContext) => Promise<Response> {
  const { settings, directory, log, transport, cryptography = webCryptography, now = Date.now } = parts
  const sealer = createSealer(settings.sessionKeys, cryptography)
  const { sessionLifetimeMs: lifetimeMs, sessionIdleMs: idleMs } = settings
  const handlers = createHandlers({
    settings,
    sealer,
    sessions: { sealer, lifetimeMs, idleMs, now },
    provider: createProvider(settings, transport, cryptography),
    directory,
    singleFlight: createSingleFlight<SignIn>(now),
    now,
  })
  const { protocol, pathname: callbackPath } = new URL(settings.redirectUri)
  const writing = { log, https: protocol === 'https:' }
  const pages = buildPages(settings.legacyLoginUrl)

  const hono = new Hono<{ Bindings: RequestContext }>()
  const add = (method: 'GET' | 'POST', path: string, callers: Callers, handle: RouteHandler) =>
    hono.on(method, path, c => respond({ name: path, callers, handle }, c.req.raw, c.env, writing))
  add('GET', routes.loginUrl, 'this-site', handlers.loginUrl)
  add('GET', routes.callback, 'this-site', handlers.callback)
  add('GET', routes.session, 'this-site', handlers.session)
  add('POST', routes.logout, 'this-site', handlers.logout)
  // A proxy hands on the headers of a visit that may well have come from a link on another site.
  add('GET', routes.forward, 'anyone', handlers.forward)
  add('GET', routes.health, 'anyone', handlers.health)
  add('GET', routes.openapi, 'anyone', () => ({ response: Response.json(openapi) }))
  add('GET', routes.signIn, 'visitors', sendPage(pages, 'signIn'))
  add('GET', routes.dashboard, 'visitors', sendPage(pages, 'dashboard'))
  const callbackPage: Route = {
    name: 'callback-page',
    callers: 'visitors',
    handle: sendPage(pages, 'callback'),
  }
  const sendNothing = sendPage(pages, 'nothing', 404)
  const nothing: Route = {
    name: 'none',
    callers: 'anyone',
    handle: (request, context) =>
      request.headers.get('accept')?.includes('text/html')
        ? sendNothing(request, context)
        : { problem: { code: 'not-found' } },
  }
  // The callback page's path is the operator's choice, and compared as it is: a router would decode it and read patterns
  // into it.
  hono.all('*', ({ req, env }) => {
    const { pathname } = new URL(req.url)
    const route = req.method === 'GET' && pathname === callbackPath ? callbackPage : nothing
    return respond(route, req.raw, env, writing)
  })
  return async (request, context = {}) => hono.fetch(request, context)
}

function sendPage(pages: Promise<Pages>, name: keyof Pages, status = 200): RouteHandler {
  return async () => {
    const { html, policy } = (await pages)[name]
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
    return { response: new Response(html, { status, headers }) }
  }
}
