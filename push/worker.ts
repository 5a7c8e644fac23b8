import { systemClock as clock } from '../action/deadline.ts'
import { parseIpv4, parseIpv6 } from '../lib/ip-address.ts'
import type { PlatformLimit } from '../lib/network-limit.ts'
import { answer } from './answers.ts'
import { exchange } from './exchange.ts'
import { createHandler, type Handler, type Limits } from './handler.ts'
import { createLimiter } from './limiter.ts'
import type { Queue } from './queue.ts'
import { readSettings } from './settings.ts'
import { createWorkflowClock } from './workflow-clock.ts'

type Variables = Readonly<Record<string, unknown>>

// biome-ignore lint/suspicious/noConsole: Workers have no other way to write a log line.
const log = (entry: object) => console.log(JSON.stringify(entry))

/** What an instance does. Its bindings never change. A tick resolves to whether it started the workflow. */
interface Instance {
  readonly handle: Handler
  readonly tick: () => Promise<boolean>
}

/**
 * With wrong settings, every request fails in a way that may pass: a Worker cannot refuse to start. The first request logs them, and
 * each firing of the trigger.
 */
function start(env: Variables, limits?: Limits): Instance {
  const reading = readSettings(env)
  const proxy = env['HTTPS_PROXY'] ? ['A Worker uses no proxy. Remove HTTPS_PROXY.'] : []
  if ('problems' in reading || proxy.length > 0) {
    const problems = [...('problems' in reading ? reading.problems : []), ...proxy]
    let isLogged = false
    async function tick(): Promise<boolean> {
      isLogged = true
      for (const message of problems) log({ level: 'error', event: 'settings', message })
      return false
    }
    async function handle(): Promise<Response> {
      if (!isLogged) await tick()
      return answer([{ word: '911' }])
    }
    return { handle, tick }
  }
  const limiter = createLimiter(clock.now, env['WRONG_PASSWORDS'] as Partial<PlatformLimit> | undefined)
  // A request cannot wait for the work of another. They may write the same address twice.
  const queue: Queue = (_, work) => work()
  const context = { exchange, clock, limiter, queue, log, keepAlive: () => {}, limits }
  const { workflow } = reading.value
  async function tickInVain(): Promise<boolean> {
    log(noWorkflow)
    return false
  }
  return {
    handle: createHandler(reading.value, context),
    tick: workflow ? createWorkflowClock(workflow, context) : tickInVain,
  }
}

const noWorkflow = {
  level: 'warning',
  event: 'clock',
  message: 'A cron trigger fired, but WORKFLOW is not set. Set it, or remove the trigger.',
} as const

/** Creates the endpoint's Worker, with other limits of a ping for tests. */
export function createWorker(limits?: Limits) {
  let instance: Instance | null = null
  return {
    fetch(
      request: Request,
      env: Variables,
      context: { waitUntil(work: Promise<unknown>): void },
    ): Promise<Response> {
      instance ??= start(env, limits)
      // Cloudflare sets this header, and discards one that the caller sent.
      const text = request.headers.get('cf-connecting-ip') ?? ''
      const address = parseIpv4(text) ?? parseIpv6(text)
      const caller = { address, secure: new URL(request.url).protocol === 'https:' }
      return instance.handle(request, caller, { keepAlive: work => context.waitUntil(work) })
    },
    /**
     * Starts the workflow, at each firing of the cron trigger. It rejects if it did not, since only then does the history of the
     * trigger show a failure.
     */
    async scheduled(controller: { noRetry?(): void }, env: Variables): Promise<void> {
      instance ??= start(env, limits)
      if (await instance.tick()) return
      // The clock has its own repetition, and GitHub may have asked for none.
      controller.noRetry?.()
      throw new Error('The workflow was not started. The log says why.')
    },
  }
}

export default createWorker()
