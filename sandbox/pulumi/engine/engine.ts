import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type grpc from '@grpc/grpc-js'
import { runtime } from '@pulumi/pulumi'
import type { Properties } from '../properties.ts'
import type { Marked } from '../wire.ts'
import { cannedProvider } from './canned.ts'
import type { Graph, ResourceProvider } from './graph.ts'
import { createMonitor, type LogLine, type Register } from './monitor.ts'

export interface ProgramOptions {
  /** Path of the entry file. */
  readonly program: string
  /** By full key, such as `homeport:zoneId`; lists and objects as JSON text, as the engine passes them. */
  readonly config: Readonly<Record<string, string>>
  /** The values that are encrypted in the stack file, likewise. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Default `dev`. */
  readonly stack?: string
  readonly project?: string
  /** Declares only: nothing is created, and outputs stay unknown. */
  readonly preview?: boolean
  /** Default: canned values, without any service. */
  readonly provider?: ResourceProvider
  /** Default: the provider creates every resource. */
  readonly register?: Register
}

export interface ProgramRun {
  readonly graph: Graph
  /** Outputs of the stack. */
  readonly outputs: Marked<Properties>
  /** What the program and the engine reported, oldest first. */
  readonly log: readonly LogLine[]
  /** Whether the program ran to its end without an error. */
  readonly succeeded: boolean
}

/** The SDK's state for one run; its own declarations do not compile (3.259.0). */
const { withLocalStorage, getStore } = createRequire(import.meta.url)('@pulumi/pulumi/runtime/state.js') as {
  withLocalStorage<T>(run: () => Promise<T>): Promise<T>
  getStore(): { settings: { engine?: unknown } }
}

let runs = 0
let lastRun: Promise<unknown> = Promise.resolve()

/**
 * Runs a Pulumi program in this process, against an engine that captures what it declares. Runs wait for each other,
 * since each has the process's environment to itself. `EmbeddedStack` compares with an earlier state.
 */
export function runProgram(options: ProgramOptions): Promise<ProgramRun> {
  const run = lastRun.then(() => runAlone(options))
  lastRun = run.catch(() => undefined)
  return run
}

async function runAlone(options: ProgramOptions): Promise<ProgramRun> {
  const { program, config, secrets = {}, stack = 'dev', project = 'homeport', preview = false } = options
  const { provider = cannedProvider, register } = options
  const monitor = createMonitor({ project, stack, preview, provider, register })
  const errors = new Set<string>()
  const giveBack = takeProcess(
    { PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(Object.keys(secrets)) },
    error => void errors.add(messageOf(error)),
  )
  try {
    await withLocalStorage(async () => {
      runtime.setMockOptions(clientOf(monitor.resourceMonitor), project, stack, preview)
      getStore().settings.engine = clientOf(monitor.engine)
      runtime.setAllConfig({ ...config, ...secrets }, Object.keys(secrets))
      runs += 1
      // Modules are cached by address: only another query runs the program again.
      const address = `${pathToFileURL(program)}?run=${runs}`
      await runtime.runInPulumiStack(() => import(address)).catch(error => errors.add(messageOf(error)))
      await runtime.disconnect()
    })
    // Node reports unhandled rejections once the pending callbacks have run.
    await new Promise(setImmediate)
  } finally {
    giveBack()
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
 * Gives a program its own environment, and takes the rejections that it leaves unhandled: the SDK reports a failed
 * resource through these. Returns a function that gives everything back.
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
