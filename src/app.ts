import { Hono } from 'hono/tiny'
import { createNetworkLimit, type PlatformLimit } from '../lib/network-limit.ts'
import { type EmployeeStore, StoreFailure } from './employees/employee-store.ts'
import { createHealth, type FindCause } from './employees/health.ts'
import {
  type Callers,
  jsonReply,
  type Reply,
  type RequestContext,
  type Responder,
  type Route,
  type RouteHandler,
  type RouteResult,
  respond,
} from './http/answer.ts'
import { hstsOfHost } from './http/headers.ts'
import { findHost, type HostSource, hostsOf } from './http/hosts.ts'
import type { Log } from './http/log.ts'
import { openapi } from './http/openapi.ts'
import { problems } from './http/problem.ts'
import { returnPathIn } from './pages/browser.ts'
import { buildPages, type Notice, type Pages, withNotices } from './pages/pages.ts'
import { routes } from './routes.ts'
import { createAssertions } from './session/assertion.ts'
import { type Cryptography, webCryptography } from './session/cryptography.ts'
import type { ForwardCheck } from './session/forward.ts'
import { createSealer, type Sealer } from './session/seal.ts'
import { createSessionEndpoints } from './session/session-routes.ts'
import type { Settings } from './settings/table.ts'
import { isLasting } from './sign-in/callback.ts'
import type { ClientCredential } from './sign-in/credential.ts'
import { createExchangeLimit } from './sign-in/exchange-limit.ts'
import { createProvider, logoutUrl, providerTimeoutMs } from './sign-in/provider.ts'
import { createSignInEndpoints, maxFailures, maxRejectedRounds } from './sign-in/sign-in-routes.ts'
import { createSingleFlight } from './sign-in/single-flight.ts'
import type { Transport } from './sign-in/transport.ts'

export interface AppParts {
  readonly settings: Settings
  readonly employees: EmployeeStore
  readonly log: Log
  /** Sends requests to Entra. */
  readonly transport: Transport
  /** Defaults to WebCrypto. */
  readonly cryptography?: Cryptography
  /** Seals cookies; by default with the session keys. */
  readonly sealer?: Sealer
  /** Authenticate the application at Entra, in the order in which they are tried; by default, what is in the settings. */
  readonly credentials?: readonly ClientCredential[]
  /** The platform's rate limit for rejected codes, used in addition to the one in memory. */
  readonly platformLimit?: PlatformLimit | null
  /** Runs the check of the credential at the start, and again if the runtime has timers. Every sign-in checks it too. */
  readonly schedule?: (check: () => Promise<void>) => void
  /** Unix time in milliseconds. */
  readonly now?: () => number
}

/** Returns what follows from the settings for every check of a session. */
export function shareChecks(settings: Settings, sealer: Sealer, now: () => number) {
  const hosts = hostsOf(settings.redirectUris)
  // Browsers ignore the header over http, and other hosts below this one need not serve https.
  const hsts = hosts[0].origin.startsWith('https:') ? hstsOfHost : ''
  const { sessionKeys, basePath } = settings
  const { sessionLifetimeMs: lifetimeMs, sessionIdleMs: idleMs, sessionRecheckMs: recheckMs } = settings
  const sessions = { sealer, lifetimeMs, idleMs, recheckMs, now }
  return { hosts, hsts, sessions, assertions: createAssertions(sessionKeys, basePath, sessions) }
}

/** Milliseconds of a clock that is never set back. */
const sinceStart = () => performance.now()

/** The handler. It never rejects. */
export type App = (request: Request, context?: RequestContext) => Promise<Response>

/** The handler, and what an adapter needs to answer a proxy's check without it. */
export interface Handler {
  readonly app: App
  /** Decides a proxy's check, which is a GET of this path. */
  readonly check: ForwardCheck
  readonly checkPath: string
  /** How each route answers. */
  readonly responder: Responder
}

/** Creates the handler, which is the same on every runtime. */
export function createApp(parts: AppParts): App {
  return createHandler(parts).app
}

/** Creates the handler with its check, for a runtime that has an adapter for checks. */
export function createHandler(parts: AppParts): Handler {
  const {
    settings,
    employees,
    log,
    transport,
    cryptography = webCryptography,
    credentials = null,
    now = Date.now,
  } = parts
  const { sealer = createSealer(settings.sessionKeys, cryptography) } = parts
  const { hosts, hsts, sessions, assertions } = shareChecks(settings, sealer, now)
  const pages = buildPages(settings)
  const wrongHost = reportProblem(pages, 'wrong-host')
  const responder: Responder = { log, hsts, hosts, wrongHost, resultOf: storeFailure }
  const session = createSessionEndpoints({
    sessions,
    assertions,
    employees,
    settings,
    providerLogoutUrl: settings.logoutAtProvider ? logoutUrl(settings) : null,
  })
  const provider = createProvider({ settings, transport, cryptography, log, credentials, now })
  parts.schedule?.(provider.checkCredential)
  const signIn = createSignInEndpoints({
    settings,
    sealer,
    sessions,
    provider,
    employees,
    singleFlight: createSingleFlight(now, isLasting),
    enterExchange: createExchangeLimit(providerTimeoutMs, sinceStart),
    failures: createNetworkLimit(maxFailures, sinceStart, parts.platformLimit),
    rounds: createNetworkLimit(maxRejectedRounds, sinceStart, parts.platformLimit),
    now,
  })
  const { basePath } = settings

  const hono = new Hono<{ Bindings: RequestContext }>()
  function add(method: 'GET' | 'POST', path: string, ...parts: RouteParts): void {
    const route = routeOf(path, ...parts)
    hono.on(method, basePath + path, c => respond(route, c.req.raw, c.env, responder))
  }
  add('GET', routes.loginUrl, 'this-site', signIn.loginUrl)
  add('GET', routes.callback, 'this-site', signIn.callback)
  add('GET', routes.session, 'this-site', session.session)
  add('GET', routes.authSession, 'this-site', session.session)
  add('POST', routes.logout, 'this-site', session.logout)
  add('POST', routes.logoutAll, 'this-site', session.logoutAll)
  // A proxy forwards the headers of visitors, who may have followed a link on another site.
  add('GET', routes.forward, 'anyone', session.forward, 'proxy')
  add('GET', routes.health, 'anyone', reportHealth(createHealth(employees, sinceStart)), 'none')
  add('GET', routes.publicKeys, 'anyone', session.publicKeys, 'none')
  const description = basePath === '' ? openapi : { ...openapi, servers: [{ url: basePath }] }
  add('GET', routes.openapi, 'anyone', () => ({ reply: jsonReply(description) }), 'none')
  add('GET', routes.signIn, 'visitors', async (request, host) => {
    if (request.headers.get('service-worker') === 'script') return { reply: emptyServiceWorker }
    const { search } = new URL(request.url)
    const sent = {
      path: returnPathIn(search),
      // What a proxy says comes before the path, which extends to the end of the query.
      isForm: search.startsWith('?form&return='),
    }
    return session.signInPage(request, host, sent, (name, notices) => sendPage(pages, name, 200, notices)())
  })
  add('GET', routes.dashboard, 'visitors', sendPage(pages, 'dashboard'))
  const callbackPage = routeOf('callback-page', 'visitors', sendPage(pages, 'callback'))
  const notFound = routeOf('none', 'anyone', reportProblem(pages, 'not-found'))
  // Compares the redirect URI's path as text: the router would decode it and treat some characters as patterns.
  hono.all('*', ({ req, env }) => {
    const { pathname } = new URL(req.url)
    const host = findHost(hosts, 'request', req.raw)
    const isCallback =
      req.method === 'GET' && host !== null && pathname === new URL(host.redirectUri).pathname
    return respond(isCallback ? callbackPage : notFound, req.raw, env, responder)
  })
  return {
    app: async (request, context = {}) => hono.fetch(request, context),
    check: session.check,
    checkPath: basePath + routes.forward,
    responder,
  }
}

type RouteParts = [callers: Callers, handle: RouteHandler, hostSource?: HostSource]

function routeOf(name: string, ...[callers, handle, hostSource = 'request']: RouteParts): Route {
  return { name, callers, hostSource, handle }
}

function storeFailure(error: unknown): RouteResult | null {
  if (!(error instanceof StoreFailure)) return null
  return { problem: { code: 'employees-unavailable' }, log: { store: error.reason } }
}

/** The service worker of the pages, which answers nothing: see `keepFromApplication`. */
const emptyServiceWorker: Reply = { status: 200, headers: { 'content-type': 'text/javascript' }, body: '' }

/** What is 200 by its cause: pages that are open go on, or only few people are kept out, so no proxy may take this handler out. */
const passing: ReadonlyMap<string, string> = new Map([
  ['read-only', 'read-only'],
  ['id-not-unique', 'ok'],
])

/** Minimum time between two errors in the log for such causes, in milliseconds; those in between are of level info. */
const passingErrorIntervalMs = 60_000

function reportHealth(findCause: FindCause): RouteHandler {
  let quietUntil = 0
  return async (_request, _host, { keepAlive }) => {
    const cause = await findCause(keepAlive)
    if (cause === null) return { reply: jsonReply({ status: 'ok' }) }
    const status = passing.get(cause)
    if (status === undefined)
      return { reply: jsonReply({ status: 'unavailable' }, { status: 503 }), log: { store: cause } }
    const level = sinceStart() < quietUntil ? 'info' : 'error'
    if (level === 'error') quietUntil = sinceStart() + passingErrorIntervalMs
    return { reply: jsonReply({ status }), log: { level, store: cause } }
  }
}

/** Sends browsers a page and everything else a problem. */
function reportProblem(
  pages: Promise<Pages>,
  code: 'not-found' | 'wrong-host',
): (request: Request) => RouteResult | Promise<RouteResult> {
  const sendProblem = sendPage(pages, code, problems[code].status)
  return ({ headers }) =>
    headers.get('accept')?.includes('text/html') ? sendProblem() : { problem: { code } }
}

function sendPage(pages: Promise<Pages>, name: keyof Pages, status = 200, notices: readonly Notice[] = []) {
  return async () => {
    const { html, policy } = (await pages)[name]
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
    return { reply: { status, headers, body: withNotices(html, notices) } }
  }
}
