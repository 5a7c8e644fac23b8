import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../../tools/compile-cache.ts'

export const bundle = fileURLToPath(new URL('../../action/dist/index.js', import.meta.url))
const timeLimitMs = 25_000

/** Runs the shipped bundle as a plain command, in an environment that holds only PATH and what is given. */
export function runCommand(args: readonly string[], env?: NodeJS.ProcessEnv) {
  return startCommand(args, env).ended
}

/** Starts the shipped bundle as `runCommand` does. */
export function startCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return startNode([bundle, ...args], env)
}

/**
 * Starts Node, in an environment that holds only PATH and what is given. `ended` resolves to what it left behind: its status,
 * null if a signal or the time limit ended it, and its streams, with `output` as both in the order of arrival.
 */
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
  const ended = new Promise<{ readonly status: number | null } & typeof written>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', status => resolve({ status, ...written }))
  })
  /** Resolves as soon as stdout matches. */
  async function printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(written.stdout)) await new Promise(resolve => child.stdout.once('data', resolve))
  }
  return { process: child as ChildProcess, ended, printed }
}
