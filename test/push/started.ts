import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { fetch as fetchOutside, Miniflare, type Request as OutsideRequest } from 'miniflare'
import { expect } from 'vitest'
import { freshBundle, root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { startNode as start } from '../support/command.ts'
import { outputOf } from '../support/program.ts'
import type { Stage } from '../support/stage.ts'
import { both, home, hostLine, password, second } from './endpoint.ts'
import { settingsFor } from './support.ts'

/** An endpoint as it is deployed. `output` returns what it wrote to stdout and stderr. */
export type Started = Awaited<ReturnType<typeof startNode>>

/** The limits of a deployed endpoint in short: one call and a pause fit before the answer, and the work ends after it. */
const shortLimits = { answerMs: 2400, workMs: 4800, callMs: 1300 }
const shortServerLimits = { drainMs: 1500, requestMs: 1500, checkMs: 100, ping: shortLimits }
const shortServer = `import('${root}/push/node.ts').then(({ serve }) => serve(${JSON.stringify(shortServerLimits)}))`

/** Whether an endpoint has short limits, because a test waits for them. */
interface StartOptions {
  readonly isShort?: boolean
}

/** Starts the endpoint as `push serve` does, or with short limits. */
export async function startNode(
  env: Readonly<Record<string, string>>,
  { isShort = false }: StartOptions = {},
) {
  const program = isShort ? ['--eval', shortServer] : [freshBundle('push'), 'serve']
  const { process, ended, printed, written } = start(program, { PORT: '0', ...env }, { timeLimitMs: 0 })
  const [, port] = await printed(/Listening on http:\/\/(?:127\.0\.0\.1|\[::\]):(\d+)/)
  const stop = async () => {
    process.kill('SIGTERM')
    expect(await ended).toMatchObject({ status: 0 })
  }
  return { port: Number(port), output: () => written.output, stop }
}

const usualWorker = "export { default } from './push/worker.ts'"
const shortWorker = `import { createWorker } from './push/worker.ts'; export default createWorker(${JSON.stringify(shortLimits)})`

/** A Worker, as miniflare returns it. */
interface Scheduled {
  scheduled(options: { readonly cron: string }): Promise<{ readonly outcome: string }>
}

/** Starts the endpoint as a Worker. */
export const startWorker = (env: Readonly<Record<string, string>>, { isShort = false }: StartOptions = {}) =>
  startModule(isShort ? shortWorker : usualWorker, env)

/** Starts the clock. `fire` fires its cron trigger, and resolves to the outcome of the invocation. */
export async function startClockWorker(env: Readonly<Record<string, string>>, gitHub: string) {
  const { workerOf, ...started } = await startModule("export { default } from './push/clock.ts'", env, gitHub)
  // Without the types of Workers, miniflare's take a Worker for a Request.
  const worker = (await workerOf()) as unknown as Scheduled
  const fire = async () => (await worker.scheduled({ cron: '*/5 * * * *' })).outcome
  return { ...started, fire }
}

/**
 * Starts a Worker without any compatibility flag, so nothing of Node is there.
 * @param contents its module, which imports from the root of the repository
 * @param gitHub where requests for api.github.com go, with a trailing slash
 */
export async function startModule(contents: string, env: Readonly<Record<string, string>>, gitHub?: string) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'esnext',
    logLevel: 'silent',
  })
  const port = await freePort()
  let output = () => ''
  const miniflare = new Miniflare({
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      output = outputOf({ stdout, stderr })
    },
    workers: [
      {
        name: 'push',
        modules: [
          { type: 'ESModule', path: 'worker.js', contents: outputFiles[0]?.contents ?? new Uint8Array() },
        ],
        compatibilityDate: '2026-01-01',
        bindings: env,
        ratelimits: { WRONG_PASSWORDS: { namespace_id: '1', simple: { limit: 20, period: 60 } } },
        unsafeDirectSockets: [{ host: '127.0.0.1', port }],
        ...(gitHub !== undefined && {
          outboundService: (request: OutsideRequest) =>
            fetchOutside(request.url.replace('https://api.github.com/', gitHub), request),
        }),
      },
    ],
  })
  await miniflare.ready
  return {
    port,
    output: () => output(),
    workerOf: () => miniflare.getWorker('push'),
    stop: () => miniflare.dispose(),
  }
}

/** Both runtimes, each with what starts the endpoint there. */
export const runtimes = [
  ['on Node', startNode],
  ['on workerd', startWorker],
] as const

/** Sends one request from the address `second`. Returns its answer, with headers without those of the connection. */
export async function ask(
  { port }: Started,
  path: string,
  given = password,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>> } = {},
) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...init,
    headers: { ...init.headers, authorization: `Basic ${btoa(`any:${given}`)}`, 'cf-connecting-ip': second },
  })
  const { date: _, connection: __, 'keep-alive': ___, ...headers } = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: await response.text() }
}

/** Returns settings for an endpoint on a runtime, with a host of one type and a host of both. */
export async function settingsOn(stage: Stage): Promise<Record<string, string>> {
  const HOSTS = `${await hostLine(home)}\n${await hostLine(both, 'A,AAAA')}`
  return { ...settingsFor(stage.description), HOSTS, PLAIN_HTTP: 'true' }
}
