import { StoreFailure } from '../employees/directory.ts'
import { isCrossSite, isPrefetch, secure } from './headers.ts'
import type { Log, LogEntry } from './log.ts'
import { type Problem, problemResponse } from './problem.ts'

/** What an entry gives along with a request. */
export interface RequestContext {
  /** Lets work go on after the browser has gone away, where a runtime would stop it. */
  readonly keepAlive?: (work: Promise<unknown>) => void
}

/** What a route answers with: a response or a failure, the cookies that go along, and what is logged of it. */
export interface Answer {
  readonly response?: Response
  readonly problem?: Problem
  readonly setCookies?: readonly string[]
  readonly log?: Partial<LogEntry>
}

export type RouteHandler = (request: Request, context: RequestContext) => Answer | Promise<Answer>

/**
 * Who may call a route, judged by the headers browsers send of themselves: pages of this site and the person; whoever
 * comes by a link, as long as somebody really comes; proxies and monitors too.
 */
export type Callers = 'this-site' | 'visitors' | 'anyone'

export interface Route {
  /** Its name in the log. */
  readonly name: string
  readonly callers: Callers
  readonly handle: RouteHandler
}

export const refusedCrossSite: Answer = { problem: { code: 'cross-site' }, log: { security: true } }

/** Runs a route to a response that carries every header, and writes its one log line whatever happens. Never rejects. */
export async function respond(
  { name, callers, handle }: Route,
  request: Request,
  context: RequestContext,
  { log, https }: { readonly log: Log; readonly https: boolean },
): Promise<Response> {
  const correlationId = crypto.randomUUID()
  const started = performance.now()
  const answer = await answerOf(callers, handle, request, context)
  const { problem = { code: 'unexpected' }, setCookies = [] } = answer
  const response = answer.response ?? problemResponse(problem, correlationId)
  for (const cookie of setCookies) response.headers.append('set-cookie', cookie)
  const { status } = response
  log({
    level: status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info',
    event: 'request',
    correlationId,
    method: request.method === 'GET' || request.method === 'POST' ? request.method : 'other',
    route: name,
    status,
    code: answer.response ? undefined : problem.code,
    durationMs: Math.round((performance.now() - started) * 10) / 10,
    ...answer.log,
  })
  return secure(response, correlationId, https)
}

async function answerOf(
  callers: Callers,
  handle: RouteHandler,
  request: Request,
  context: RequestContext,
): Promise<Answer> {
  if (callers === 'this-site') {
    // HEAD would run a GET and throw its answer away, a redeemed code with it.
    if (request.method === 'HEAD') return { problem: { code: 'not-found' } }
    if (isCrossSite(request.headers)) return refusedCrossSite
  }
  if (callers !== 'anyone' && isPrefetch(request.headers)) return refusedCrossSite
  try {
    return await handle(request, context)
  } catch (error) {
    if (error instanceof StoreFailure) {
      return { problem: { code: 'employees-unavailable' }, log: { store: error.reason } }
    }
    return {
      problem: { code: 'unexpected' },
      log: { errorName: error instanceof Error ? error.name : typeof error },
    }
  }
}
