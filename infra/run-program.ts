import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text as readAll } from 'node:stream/consumers'

export interface ProgramCall {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Whether to collect the standard output, or to pass it on. */
  readonly stdout: 'pipe' | 'inherit'
  /** Milliseconds after which the program is killed. Pulumi ignores SIGTERM while a call is outstanding. */
  readonly timeoutMs?: number
}

export interface ProgramEnd {
  /** Exit status; null if the program was killed. */
  readonly status: number | null
  readonly output: string
}

/**
 * Runs a program to its end. Its standard error goes to ours.
 * @throws Error if it cannot be started
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, stdout, timeoutMs }: ProgramCall,
): Promise<ProgramEnd> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', stdout, 'inherit'] })
  // Not the option of spawn, whose timer stays if the program cannot be started.
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  try {
    const output = child.stdout ? readAll(child.stdout) : Promise.resolve('')
    const [status] = (await once(child, 'exit')) as [number | null]
    return { status, output: await output }
  } finally {
    clearTimeout(timer)
  }
}

const outputTimeoutMs = 60_000

/** Resolves to the standard output of a program that ends soon, or to null if it fails or cannot be started. */
export async function outputOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const call = { cwd: '.', env: { ...env, PULUMI_SKIP_UPDATE_CHECK: 'true' }, stdout: 'pipe' } as const
  try {
    const { status, output } = await runProgram(program, args, { ...call, timeoutMs: outputTimeoutMs })
    return status === 0 ? output : null
  } catch {
    return null
  }
}
