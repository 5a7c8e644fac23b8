import { systemClock as clock } from '../action/deadline.ts'
import { parseIpv4, parseIpv6 } from '../lib/ip-address.ts'
import type { PlatformLimit } from '../lib/network-limit.ts'
import { answer } from './answers.ts'
import { exchange } from './exchange.ts'
import { createHandler, type Handler } from './handler.ts'
import { createLimiter } from './limiter.ts'
import type { Queue } from './queue.ts'
import { readSettings } from './settings.ts'

type Variables = Readonly<Record<string, unknown>>

// biome-ignore lint/suspicious/noConsole: Workers have no other way to write a log line.
const log = (entry: object) => console.log(JSON.stringify(entry))

/** One handler per instance, whose bindings never change. */
let handler: Handler | null = null

/** With wrong settings, which it logs, every request fails in a way that may pass: a Worker cannot refuse to start. */
function handlerFor(env: Variables): Handler {
  const reading = readSettings(env)
  const proxy = env['HTTPS_PROXY'] ? ['A Worker uses no proxy. Remove HTTPS_PROXY.'] : []
  if ('problems' in reading || proxy.length > 0) {
    for (const message of [...('problems' in reading ? reading.problems : []), ...proxy])
      log({ level: 'error', event: 'settings', message })
    return async () => answer([{ word: '911' }])
  }
  const limiter = createLimiter(clock.now, env['WRONG_PASSWORDS'] as Partial<PlatformLimit> | undefined)
  // A request cannot wait for the work of another. They may write the same address twice.
  const queue: Queue = (_, work) => work()
  return createHandler(reading.value, { exchange, clock, limiter, queue, log, keepAlive: () => {} })
}

export default {
  fetch(
    request: Request,
    env: Variables,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    handler ??= handlerFor(env)
    // Cloudflare sets this header, and discards one that the caller sent.
    const text = request.headers.get('cf-connecting-ip') ?? ''
    const address = parseIpv4(text) ?? parseIpv6(text)
    const caller = { address, secure: new URL(request.url).protocol === 'https:' }
    return handler(request, caller, { keepAlive: work => context.waitUntil(work) })
  },
}
