import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../../tools/compile-cache.ts'

export const bundle = fileURLToPath(new URL('../../action/dist/index.js', import.meta.url))
const timeLimitMs = 25_000

/** What the command left behind. */
interface CommandRun {
  /** Null if a signal or the time limit ended it. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs. */
interface RunningCommand {
  readonly process: ChildProcess
  readonly ended: Promise<CommandRun>
  /** Resolves as soon as stdout matches. */
  printed(pattern: RegExp): Promise<void>
}

/** Runs the shipped bundle as a plain command, in an environment that holds only PATH and what is given. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  return startCommand(args, env).ended
}

/** Starts the shipped bundle as `runCommand` does. */
export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  const { ended, ...running } = startNode([bundle, ...args], env)
  return { ...running, ended: ended.then(({ output: _, ...run }) => run) }
}

/** Starts Node, in an environment that holds only PATH and what is given. Its `output` has both streams in the order of arrival. */
export function startNode(args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...compileCache(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeLimitMs,
    killSignal: 'SIGKILL',
  })
  const written = { stdout: '', stderr: '', output: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', chunk => {
      written[name] += chunk
      written.output += chunk
    })
  // Not `exit`: the pipes may still contain output when the process ends.
  const ended = new Promise<CommandRun & { readonly output: string }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', status => resolve({ status, ...written }))
  })
  async function printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(written.stdout)) await new Promise(resolve => child.stdout.once('data', resolve))
  }
  return { process: child as ChildProcess, ended, printed }
}
