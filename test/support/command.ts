import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../../tools/compile-cache.ts'

export const bundle = fileURLToPath(new URL('../../action/dist/index.js', import.meta.url))
const timeLimitMs = 25_000

/** What the command left behind. */
export interface CommandRun {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs. */
export interface RunningCommand {
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
  const child = spawn(process.execPath, [bundle, ...args], {
    env: { PATH: process.env['PATH'], ...compileCache(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeLimitMs,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = new Promise<CommandRun>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', status => resolve({ status, stdout, stderr }))
  })
  async function printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(stdout)) await new Promise(resolve => child.stdout.once('data', resolve))
  }
  return { process: child, ended, printed }
}
