import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cannedProvider } from './canned.ts'
import type { Graph, JsonObject, Marked, ResourceProvider } from './graph.ts'
import { type LogLine, startMonitor } from './monitor.ts'

export interface ProgramOptions {
  /** By full key, such as `homeport:zoneId`; lists and objects as JSON text, as the engine hands them over. */
  readonly config: Readonly<Record<string, string>>
  /** Likewise, of the values that are encrypted in the stack file. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Default `dev`. */
  readonly stack?: string
  readonly project?: string
  /** Declare only: nothing is made, and what would come of it is unknown. */
  readonly preview?: boolean
  /** Default: canned states, no service at all. */
  readonly provider?: ResourceProvider
  /** Entry file. Default: this repository's program. */
  readonly program?: string
  /** Added to the environment, which otherwise only finds programs. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ProgramRun {
  readonly graph: Graph
  /** Of the stack. */
  readonly outputs: Marked<JsonObject>
  /** What the program said to the engine, oldest first. */
  readonly log: readonly LogLine[]
  /** What it wrote itself, both streams. */
  readonly written: string
  /** Exit status; null when it was ended for taking too long. */
  readonly status: number | null
}

const runTimeoutMs = 60_000
const launcher = createRequire(import.meta.url).resolve('@pulumi/pulumi/cmd/run')
const ownProgram = fileURLToPath(new URL('../../../infra/index.ts', import.meta.url))

/**
 * Runs a Pulumi program with the SDK's own launcher, as the CLI starts it, against an engine of our own. Good for what a
 * program declares and for making it once; whatever compares with an earlier state is the CLI's work.
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramRun> {
  const { config, secrets = {}, stack = 'dev', project = 'homeport', preview = false } = options
  const { provider = cannedProvider, program = ownProgram } = options
  const monitor = await startMonitor({ project, stack, preview, provider })
  try {
    const args = [
      launcher,
      `--monitor=${monitor.address}`,
      `--engine=${monitor.address}`,
      `--project=${project}`,
      `--stack=${stack}`,
      `--pwd=${dirname(program)}`,
      '--parallel=16',
      ...(preview ? ['--dry-run'] : []),
      basename(program),
    ]
    const child = spawn(process.execPath, args, {
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_NO_WARNINGS: '1',
        PULUMI_CONFIG: JSON.stringify({ ...config, ...secrets }),
        PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(Object.keys(secrets)),
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: runTimeoutMs,
      killSignal: 'SIGKILL',
    })
    let written = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        written += text
      })
    }
    const [status] = (await once(child, 'close')) as [number | null]
    const { graph, outputs, log } = monitor
    return { graph, outputs, log, written, status }
  } finally {
    monitor.close()
  }
}
