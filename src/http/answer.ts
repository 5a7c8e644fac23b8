import { isCrossSite, isNavigation, isPrefetch, withFixedHeaders } from './headers.ts'
import { findHost, type Host, type HostSource } from './hosts.ts'
import type { Log, LogEntry } from './log.ts'
import { type Problem, type ProblemCode, problemReply, problems } from './problem.ts'

/** What the runtime passes with a request. */
export interface RequestContext {
  /** Keeps work running after the browser disconnects, on runtimes that would stop it. */
  readonly keepAlive?: (work: Promise<unknown>) => void
  /** Returns the client's network, for rate limits; null if it is unknown. */
  readonly clientNetwork?: () => string | null
  /** Whether the peer is a trusted proxy, whose X-Forwarded-Host is believed; missing if there is none. */
  readonly isProxyTrusted?: () => boolean
}

/** A response as plain data, with the headers of its own. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What a route returns: a reply or a problem, the cookies to set, and fields for the log line. */
export interface RouteResult {
  readonly reply?: Reply
  readonly problem?: Problem
  readonly setCookies?: readonly string[]
  readonly log?: Partial<LogEntry>
}

export type RouteHandler = (
  request: Request,
  host: Host,
  context: RequestContext,
) => RouteResult | Promise<RouteResult>

/**
 * Who may call a route, judged by headers that only browsers set. `this-site`: pages of this site, and the user directly.
 * `visitors`: also people who follow a link from another site. `anyone`: also prefetches, proxies and monitors.
 */
export type Callers = 'this-site' | 'visitors' | 'anyone'

export interface Route {
  /** Name for the log. */
  readonly name: string
  readonly callers: Callers
  readonly hostSource: HostSource
  readonly handle: RouteHandler
}

/** A whole response as plain data. The headers are in the order of their names, cookies last. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | null
}

/** What all routes share. */
export interface Responder {
  readonly log: Log
  /** Strict-Transport-Security of every response; blank for none. */
  readonly hsts: string
  readonly hosts: readonly [Host, ...Host[]]
  /** Answers requests for a host that is not one of these. */
  readonly wrongHost: (request: Request) => RouteResult | Promise<RouteResult>
  /** Returns the result for an expected error, such as a failed store; null for a bug. */
  readonly resultOf: (error: unknown) => RouteResult | null
}

export const refusedCrossSite: RouteResult = { problem: { code: 'cross-site' }, log: { security: true } }

/** Refuses what browsers do by themselves, or with a link to a part of the API: nobody attacks. */
const refusedQuietly: RouteResult = { problem: { code: 'cross-site' }, log: { level: 'info' } }

/** Refusals that people meet day by day, so that they are no warnings. */
const everyday: ReadonlySet<ProblemCode> = new Set([
  'signed-out',
  'sign-in-expired',
  'transaction-missing',
  'not-found',
])

/** Runs a route and returns a response with every security header. Writes one log line. Never rejects. */
export async function respond(
  route: Route,
  request: Request,
  context: RequestContext,
  responder: Responder,
): Promise<Response> {
  const { hsts, hosts, wrongHost } = responder
  const host = findHost(hosts, route.hostSource, request, context.isProxyTrusted)
  const { result, correlationId } = await runRoute(
    route.name,
    request.method,
    () => refusal(route, request) ?? (host ? route.handle(request, host, context) : wrongHost(request)),
    responder,
  )
  return responseOf(answerOf(result, correlationId, hsts))
}

/** Returns a reply of JSON. */
export function jsonReply(value: unknown, { status = 200, headers = {} }: Partial<Reply> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

export function responseOf({ status, headers, body }: PlainAnswer): Response {
  return new Response(body, { status, headers: headers.map(([...pair]) => pair) })
}

/** Runs a route, and writes its log line. Never rejects. */
export async function runRoute(
  route: string,
  method: string,
  handle: () => RouteResult | Promise<RouteResult>,
  { log, resultOf }: Pick<Responder, 'log' | 'resultOf'>,
): Promise<{ readonly result: RouteResult; readonly correlationId: string }> {
  const correlationId = crypto.randomUUID()
  const started = performance.now()
  let result: RouteResult
  try {
    result = await handle()
  } catch (error) {
    const errorName = error instanceof Error ? error.name : typeof error
    result = resultOf(error) ?? { problem: unexpected, log: { errorName } }
  }
  const { reply, problem = unexpected } = result
  const status = reply?.status ?? problems[problem.code].status
  const isWarning = status >= 400 && (result.log?.security || !everyday.has(problem.code))
  log({
    level: status >= 500 ? 'error' : isWarning ? 'warning' : 'info',
    event: 'request',
    correlationId,
    method: method === 'GET' || method === 'POST' ? method : 'other',
    route,
    status,
    code: reply ? undefined : problem.code,
    durationMs: Math.round((performance.now() - started) * 10) / 10,
    ...result.log,
  })
  return { result, correlationId }
}

const unexpected: Problem = { code: 'unexpected' }

/** Returns the answer of a result that is a reply or a problem, with every security header. */
export function answerOf(
  { reply, problem = unexpected, setCookies = [] }: RouteResult,
  correlationId: string,
  hsts: string,
): PlainAnswer {
  const own = reply ? { body: null, ...reply } : problemReply(problem, correlationId)
  const headers = Object.entries(withFixedHeaders(own.headers, correlationId, hsts))
  headers.sort(([one], [other]) => (one < other ? -1 : 1))
  for (const cookie of setCookies) headers.push(['set-cookie', cookie])
  return { status: own.status, headers, body: own.body }
}

/** Returns the refusal of a request whose sender may not call the route; null if it may. */
function refusal({ name, callers }: Route, { method, headers }: Request): RouteResult | null {
  // Hono serves HEAD by running GET, which would redeem a code or renew a cookie, and discard the response.
  if (method === 'HEAD' && name.startsWith('/api/')) {
    return { reply: { status: 405, headers: { allow: 'GET' } }, log: { level: 'info' } }
  }
  if (callers === 'anyone') return null
  if (isPrefetch(headers)) return refusedQuietly
  if (callers === 'visitors') return null
  if (!isCrossSite(headers)) return null
  return method === 'GET' && isNavigation(headers) ? refusedQuietly : refusedCrossSite
}
