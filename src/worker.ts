import { createFetchExchange } from '../lib/fetch-exchange.ts'
import type { PlatformLimit } from '../lib/network-limit.ts'
import type { Environment } from '../lib/settings/table.ts'
import { type App, createApp } from './app.ts'
import { createD1EmployeeStore, isD1Binding } from './employees/d1.ts'
import { answerOf, responseOf } from './http/answer.ts'
import { clientNetwork } from './http/client-network.ts'
import { formatEntry, type Log } from './http/log.ts'
import { readSettings } from './settings/settings.ts'
import type { Settings } from './settings/table.ts'
import { createTransport } from './sign-in/transport.ts'

// biome-ignore lint/suspicious/noConsole: Workers have no other way to write a log line.
const log: Log = entry => console.log(formatEntry(entry, new Date()))

/** One handler per isolate, whose bindings never change. */
let answer: App | null = null

/**
 * Creates an app from the bindings. With wrong settings, which it logs, every request fails with `misconfigured`, since
 * a Worker cannot refuse to start.
 */
function appFor(env: Environment): App {
  const reading = readSettings(env)
  const database = env['EMPLOYEES']
  const problems = 'problems' in reading ? [...reading.problems] : []
  for (const name of Object.keys(env)) {
    if (name.endsWith('_FILE'))
      problems.push(`${name} names a file, which a Worker cannot read. Bind a secret.`)
  }
  if (env['HTTPS_PROXY'] || env['https_proxy']) problems.push('A Worker uses no proxy. Remove HTTPS_PROXY.')
  if (!isD1Binding(database)) problems.push('EMPLOYEES is not bound to a D1 database.')
  if ('value' in reading && isD1Binding(database) && problems.length === 0) {
    return createApp({
      settings: reading.value,
      employees: createD1EmployeeStore(database),
      log,
      transport: createTransport(createFetchExchange()),
      platformLimit: platformLimit(reading.value, env['FAILED_CALLBACKS']),
      // An instance has no timers between requests.
      schedule: check => void check(),
    })
  }
  for (const message of problems) log({ level: 'error', event: 'settings', message })
  return async () => {
    const correlationId = crypto.randomUUID()
    log({ level: 'error', event: 'request', correlationId, status: 500, code: 'misconfigured' })
    return responseOf(answerOf({ problem: { code: 'misconfigured' } }, correlationId, ''))
  }
}

/** Returns the bound rate limit. Handlers of an account can share one, so keys start with the handler's own address. */
function platformLimit({ redirectUris }: Settings, binding: unknown): PlatformLimit | null {
  if (!isPlatformLimit(binding)) return null
  return { limit: ({ key }) => binding.limit({ key: `${redirectUris[0]} ${key}` }) }
}

function isPlatformLimit(binding: unknown): binding is PlatformLimit {
  return typeof (binding as Partial<PlatformLimit> | null | undefined)?.limit === 'function'
}

/** The part of a Worker's execution context that is used here. */
interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void
}

export default {
  fetch(request: Request, env: Environment, context: ExecutionContext): Promise<Response> {
    answer ??= appFor(env)
    return answer(request, {
      keepAlive: work => context.waitUntil(work),
      // Cloudflare sets this header, and discards one that the visitor sent.
      clientNetwork: () => clientNetwork(request.headers.get('cf-connecting-ip') ?? undefined, null, []),
    })
  },
}
