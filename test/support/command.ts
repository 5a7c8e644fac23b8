import { spawn } from 'node:child_process'
import { freshBundle } from '../../tools/bundle.ts'
import { compileCache } from '../../tools/compile-cache.ts'
import { timeLimit } from './time-limit.ts'

/** The action, bundled as it ships from the sources as they are. */
export const bundle = freshBundle('action')

/** What a program is started with besides its arguments and environment. */
interface StartOptions {
  readonly cwd?: string
  /** For its standard input. */
  readonly input?: string
  /** Kills it after this time; 0 for never. */
  readonly timeLimitMs?: number
}

/** Runs the action's bundle as a plain command, in an environment that holds only PATH and what is given. */
export function runCommand(args: readonly string[], env?: NodeJS.ProcessEnv) {
  return startCommand(args, env).ended
}

/** Starts the action's bundle as `runCommand` does. */
export function startCommand(args: readonly string[], env?: NodeJS.ProcessEnv) {
  return startNode([bundle, ...args], env)
}

/** Starts Node as `startProgram` does. */
export function startNode(args: readonly string[], env: NodeJS.ProcessEnv = {}, options: StartOptions = {}) {
  return startProgram(process.execPath, args, { ...compileCache(), ...env }, options)
}

/**
 * Starts a program, in an environment that holds only PATH and what is given. `ended` resolves to what it left behind: its
 * status, null if a signal ended it, and its streams, with `output` as both in the order of arrival. It rejects after the time limit.
 */
export function startProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { cwd, input = '', timeLimitMs = timeLimit(100_000) }: StartOptions = {},
) {
  const startMs = performance.now()
  const killSignal = 'SIGKILL'
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    timeout: timeLimitMs,
    killSignal,
  })
  // It may end before it has read all.
  child.stdin.on('error', () => undefined).end(input)
  const written = { stdout: '', stderr: '', output: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', chunk => {
      written[name] += chunk
      written.output += chunk
    })
  // Not `exit`: the pipes may still contain output when the process ends.
  const ended = new Promise<{ readonly status: number | null } & typeof written>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) => {
      if (signal === killSignal && timeLimitMs > 0 && performance.now() - startMs >= timeLimitMs)
        reject(
          new Error(`Killed after its time limit of ${timeLimitMs} ms. It had printed:\n${written.output}`),
        )
      else resolve({ status, ...written })
    })
  })
  /** Resolves to the match as soon as stdout matches. @throws Error with the status and all output if it ends first */
  function printed(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(written.stdout)
        if (!found) return
        // A busy server writes megabytes.
        child.stdout.off('data', look)
        resolve(found)
      }
      child.stdout.on('data', look)
      look()
      ended.then(({ status, output }) => reject(new Error(`Ended with status ${status}:\n${output}`)), reject)
    })
  }
  return { process: child, ended, printed, written: written as Readonly<typeof written> }
}
