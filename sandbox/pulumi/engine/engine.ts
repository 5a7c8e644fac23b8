import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type grpc from '@grpc/grpc-js'
import { runtime } from '@pulumi/pulumi'
import type { Properties } from '../properties.ts'
import type { Marked } from '../wire.ts'
import { cannedProvider } from './canned.ts'
import type { Graph, ResourceProvider } from './graph.ts'
import { createMonitor, type LogLine } from './monitor.ts'

/** The program to run, its configuration, and the replacements of its services. */
export interface ProgramOptions {
  /** The path of the entry file. */
  readonly program: string
  /** By full key, such as `homeport:zoneId`. Lists and objects are JSON text, as from the engine. */
  readonly config: Readonly<Record<string, string>>
  /** The values that are encrypted in the stack file, in the same form. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Default `dev`. */
  readonly stack?: string
  readonly project?: string
  /** Whether to create nothing, so that outputs stay unknown. */
  readonly preview?: boolean
  /** Default: canned values, without a service. */
  readonly provider?: ResourceProvider
  /** Returns the outputs of each resource in the state by URN. Default: none. */
  readonly readState?: () => Properties
  /** Variables of the program besides PATH. */
  readonly environment?: NodeJS.ProcessEnv
}

/** What a program declared and logged in one run. */
export interface ProgramRun {
  readonly graph: Graph
  /** The outputs of the stack. */
  readonly outputs: Marked<Properties>
  /** The messages of the program and the engine, oldest first. */
  readonly log: readonly LogLine[]
  /** Whether the program ran to its end without an error. */
  readonly succeeded: boolean
}

/** The SDK's state for one run. Typed here, because its own declarations do not compile (3.259.0). */
const { withLocalStorage, getStore } = createRequire(import.meta.url)('@pulumi/pulumi/runtime/state.js') as {
  withLocalStorage<T>(run: () => Promise<T>): Promise<T>
  getStore(): { settings: { engine?: unknown } }
}

/** The organization of every stack in a backend without accounts. */
const organization = 'organization'

let runs = 0
let lastRun: Promise<unknown> = Promise.resolve()

/**
 * Runs a Pulumi program in this process, against an engine that records what it declares. Runs wait for each other, because
 * each changes the environment of the process. To compare with an earlier state, use the CLI.
 */
export function runProgram(options: ProgramOptions): Promise<ProgramRun> {
  const run = lastRun.then(() => runAlone(options))
  lastRun = run.catch(() => undefined)
  return run
}

async function runAlone(options: ProgramOptions): Promise<ProgramRun> {
  const { program, config, secrets = {}, stack = 'dev', project = 'homeport', preview = false } = options
  const { provider = cannedProvider, readState, environment = {} } = options
  const monitor = createMonitor({ project, stack, preview, provider, readState })
  const errors = new Set<string>()
  const restore = takeProcess(
    { ...environment, PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(Object.keys(secrets)) },
    error => void errors.add(messageOf(error)),
  )
  try {
    await withLocalStorage(async () => {
      const client = clientOf(monitor.resourceMonitor)
      runtime.setMockOptions(client, project, stack, preview, organization)
      getStore().settings.engine = clientOf(monitor.engine)
      runtime.setAllConfig({ ...config, ...secrets }, Object.keys(secrets))
      runs += 1
      // Modules are cached by URL, so only a new query runs the program again.
      const address = `${pathToFileURL(program)}?run=${runs}`
      // Like the launcher of the SDK, which takes a default export for the outputs.
      const outputsOf = async () => {
        const exported: object = await import(address)
        return 'default' in exported ? exported.default : exported
      }
      await runtime.runInPulumiStack(outputsOf).catch(error => errors.add(messageOf(error)))
      await runtime.disconnect()
    })
    // Node reports unhandled rejections once the pending callbacks have run.
    await new Promise(setImmediate)
  } finally {
    restore()
  }
  const { graph, outputs } = monitor
  const reported = [...errors].map(message => ({ severity: 'error', message }) as const)
  return { graph, outputs, log: [...monitor.log, ...reported], succeeded: errors.size === 0 }
}

/** Returns a client that calls the methods in this process, with the signature of the SDK's gRPC clients. */
function clientOf(methods: grpc.UntypedServiceImplementation) {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (request: unknown, callback: unknown) => Reflect.apply(method, methods, [{ request }, callback]),
    ]),
  )
}

/**
 * Gives a program its own environment and collects its unhandled rejections, by which the SDK reports failed resources.
 * Returns a function that restores both.
 */
function takeProcess(environment: NodeJS.ProcessEnv, onError: (error: unknown) => void): () => void {
  const { env } = process
  const listeners = process.listeners('unhandledRejection')
  process.env = { PATH: env['PATH'], ...environment }
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', onError)
  return () => {
    process.env = env
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
