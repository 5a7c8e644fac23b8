import { createApp } from './app.ts'
import { createD1Directory, isD1Binding } from './employees/d1.ts'
import { secure } from './http/headers.ts'
import { formatEntry, type Log } from './http/log.ts'
import { problemResponse } from './http/problem.ts'
import { type Environment, readSettings } from './settings/settings.ts'
import { fetchTransport } from './sign-in/fetch-transport.ts'

type App = ReturnType<typeof createApp>

// biome-ignore lint/suspicious/noConsole: the only way a Worker has to write a log line.
const log: Log = entry => console.log(formatEntry(entry, new Date()))

/** One app an isolate: bindings do not change while it lives. */
let app: App | null = null

/**
 * An app from the bindings, or one that answers every request with `misconfigured`: a Worker has no start at which it
 * could stop. Every wrong setting is logged at once, when the first request comes.
 */
function appFor(env: Environment): App {
  const reading = readSettings(env)
  const database = env['EMPLOYEES']
  const problems = reading.kind === 'refused' ? [...reading.problems] : []
  if (!isD1Binding(database)) problems.push('EMPLOYEES is not bound to a D1 database.')
  if (reading.kind === 'settings' && isD1Binding(database)) {
    return createApp({
      settings: reading.settings,
      directory: createD1Directory(database),
      log,
      transport: fetchTransport,
    })
  }
  for (const message of problems) log({ level: 'error', event: 'settings', message })
  return async () => {
    const correlationId = crypto.randomUUID()
    log({ level: 'error', event: 'request', correlationId, status: 500, code: 'misconfigured' })
    return secure(problemResponse({ code: 'misconfigured' }, correlationId), correlationId, false)
  }
}

/** What is used of a Worker's execution context. */
interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void
}

export default {
  fetch(request: Request, env: Environment, context: ExecutionContext): Promise<Response> {
    app ??= appFor(env)
    return app(request, { keepAlive: work => context.waitUntil(work) })
  },
}
