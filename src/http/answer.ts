import { isCrossSite, isPrefetch, secure } from './headers.ts'
import type { Log, LogEntry } from './log.ts'
import { type Problem, problemResponse } from './problem.ts'

/** What the runtime passes with a request. */
export interface RequestContext {
  /** Keeps work running after the browser disconnects, on runtimes that would stop it. */
  readonly keepAlive?: (work: Promise<unknown>) => void
  /** Returns the client's network, for rate limits; null if it is unknown. */
  readonly clientNetwork?: () => string | null
}

/** What a route returns: a response or a problem, the cookies to set, and fields for the log line. */
export interface RouteResult {
  readonly response?: Response
  readonly problem?: Problem
  readonly setCookies?: readonly string[]
  readonly log?: Partial<LogEntry>
}

export type RouteHandler = (request: Request, context: RequestContext) => RouteResult | Promise<RouteResult>

/**
 * Who may call a route, judged by headers that only browsers set. `this-site`: pages of this site, and the user directly.
 * `visitors`: also people who follow a link from another site. `anyone`: also prefetches, proxies and monitors.
 */
export type Callers = 'this-site' | 'visitors' | 'anyone'

export interface Route {
  /** Name for the log. */
  readonly name: string
  readonly callers: Callers
  readonly handle: RouteHandler
}

/** What all routes share. */
export interface Responder {
  readonly log: Log
  /** Strict-Transport-Security of every response; blank for none. */
  readonly hsts: string
  /** Returns the result for an expected error, such as a failed store; null for a bug. */
  readonly resultOf: (error: unknown) => RouteResult | null
}

export const refusedCrossSite: RouteResult = { problem: { code: 'cross-site' }, log: { security: true } }

/** Runs a route and returns a response with every security header. Writes one log line. Never rejects. */
export async function respond(
  route: Route,
  request: Request,
  context: RequestContext,
  { log, hsts, resultOf }: Responder,
): Promise<Response> {
  const correlationId = crypto.randomUUID()
  const started = performance.now()
  const result = refusal(route.callers, request) ?? (await run(route.handle, request, context, resultOf))
  const { problem = { code: 'unexpected' }, setCookies = [] } = result
  const response = result.response ?? problemResponse(problem, correlationId)
  for (const cookie of setCookies) response.headers.append('set-cookie', cookie)
  const { status } = response
  log({
    level: status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info',
    event: 'request',
    correlationId,
    method: request.method === 'GET' || request.method === 'POST' ? request.method : 'other',
    route: route.name,
    status,
    code: result.response ? undefined : problem.code,
    durationMs: Math.round((performance.now() - started) * 10) / 10,
    ...result.log,
  })
  return secure(response, correlationId, hsts)
}

/** Returns the refusal of a request whose sender may not call the route; null if it may. */
function refusal(callers: Callers, { method, headers }: Request): RouteResult | null {
  if (callers === 'this-site') {
    // Hono serves HEAD by running GET, which would redeem a code and discard the response.
    if (method === 'HEAD') return { problem: { code: 'not-found' } }
    if (isCrossSite(headers)) return refusedCrossSite
  }
  return callers !== 'anyone' && isPrefetch(headers) ? refusedCrossSite : null
}

async function run(
  handle: RouteHandler,
  request: Request,
  context: RequestContext,
  resultOf: Responder['resultOf'],
): Promise<RouteResult> {
  try {
    return await handle(request, context)
  } catch (error) {
    const errorName = error instanceof Error ? error.name : typeof error
    return resultOf(error) ?? { problem: { code: 'unexpected' }, log: { errorName } }
  }
}
