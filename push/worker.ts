import { systemClock as clock } from '../action/deadline.ts'
import { parseIpv4, parseIpv6 } from '../lib/ip-address.ts'
import type { PlatformLimit } from '../lib/network-limit.ts'
import { answer } from './answers.ts'
import { exchange } from './exchange.ts'
import { createHandler, type Handler, type Limits } from './handler.ts'
import { readSettings } from './settings.ts'

type Variables = Readonly<Record<string, unknown>>

// biome-ignore lint/suspicious/noConsole: Workers have no other way to write a log line.
const log = (entry: object) => console.log(JSON.stringify(entry))

/**
 * Returns what answers the requests of an instance, whose bindings never change. With wrong settings, every request fails in a way
 * that may pass: a Worker cannot refuse to start. The first one logs them.
 */
function start(env: Variables, limits?: Limits): Handler {
  const reading = readSettings(env)
  const proxy = env['HTTPS_PROXY'] ? ['A Worker uses no proxy. Remove HTTPS_PROXY.'] : []
  const problems = [...('problems' in reading ? reading.problems : []), ...proxy]
  if ('problems' in reading || problems.length > 0) {
    for (const message of problems) log({ level: 'error', event: 'settings', message })
    return async () => answer([{ word: '911' }])
  }
  const platformLimit = env['WRONG_PASSWORDS'] as Partial<PlatformLimit> | undefined
  return createHandler(reading.value, { exchange, clock, log, limits, platformLimit })
}

/** Creates the endpoint's Worker, with other limits of a ping for tests. */
export function createWorker(limits?: Limits) {
  let handle: Handler | null = null
  return {
    fetch(
      request: Request,
      env: Variables,
      context: { waitUntil(work: Promise<unknown>): void },
    ): Promise<Response> {
      handle ??= start(env, limits)
      // Cloudflare sets this header, and discards one that the caller sent.
      const text = request.headers.get('cf-connecting-ip') ?? ''
      const address = parseIpv4(text) ?? parseIpv6(text)
      const caller = { address, secure: new URL(request.url).protocol === 'https:' }
      return handle(request, caller, { keepAlive: work => context.waitUntil(work) })
    },
  }
}

export default createWorker()
