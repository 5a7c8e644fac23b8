import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const bundle = fileURLToPath(new URL('../../action/dist/index.js', import.meta.url))
const timeLimitMs = 25_000

/** What the command left behind. */
export interface CommandRun {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the shipped bundle as a plain command, in an environment that holds only PATH and what is given. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const child = spawn(process.execPath, [bundle, ...args], {
    env: { PATH: process.env['PATH'], ...env },
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
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', status => resolve({ status, stdout, stderr }))
  })
}
