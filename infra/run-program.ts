import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CommandError } from '../lib/command.ts'
import { parseObject as parse } from '../lib/json.ts'
import { textOf } from './json.ts'

const run = promisify(execFile)

/**
 * Runs a program without input. Resolves to its standard output; its standard error goes to ours. Pulumi ignores SIGTERM while a
 * call is outstanding, so another signal ends what takes too long.
 * @throws Error if it cannot be started, fails or is killed
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  timeout = 60_000,
): Promise<string> {
  const limits = { timeout, killSignal: 'SIGKILL', maxBuffer: Number.POSITIVE_INFINITY } as const
  const running = run(program, args, { ...limits, env })
  running.child.stdin?.end()
  running.child.stderr?.pipe(process.stderr, { end: false })
  return (await running).stdout
}

/** Resolves to what a program prints, or to null if it fails or cannot be started. */
export function outputOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  return runProgram(program, args, { ...env, PULUMI_SKIP_UPDATE_CHECK: 'true' }).catch(() => null)
}

/** Runs Pulumi's CLI in this folder. Resolves to its output. @throws CommandError if it fails or is not installed */
export async function askPulumi(args: readonly string[]): Promise<string> {
  try {
    return await runProgram('pulumi', [...args, '--non-interactive'], process.env)
  } catch (error) {
    // The code of a program that ran is its exit status.
    const isStarted = textOf(error, 'code') === null
    throw new CommandError(
      isStarted
        ? `pulumi ${args.slice(0, 2).join(' ')} failed. Its message is above. Check the stack, or name one with --stack.`
        : 'pulumi was not found. Install it, and put it on PATH.',
    )
  }
}

/** Parses what the CLI printed. @throws CommandError, which does not quote it: it can contain secrets */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  const found = parse(text)
  if (found !== null) return found
  throw new CommandError(
    'pulumi printed something other than a JSON object. Check its version: pulumi version.',
  )
}
