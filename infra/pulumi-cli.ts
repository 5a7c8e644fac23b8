import { CommandError } from '../lib/command.ts'
import { runProgram } from './run-program.ts'

const readTimeoutMs = 60 * 1000

/** Runs the CLI in this folder. @throws CommandError if it is not there */
export async function pulumi(args: readonly string[], stdout: 'pipe' | 'inherit', timeoutMs = readTimeoutMs) {
  try {
    return await runProgram('pulumi', args, { cwd: process.cwd(), env: process.env, stdout, timeoutMs })
  } catch {
    throw new CommandError('pulumi was not found. Install it, and put it on PATH.')
  }
}

/** Returns what a command prints. @throws CommandError if it fails */
export async function askPulumi(args: readonly string[]): Promise<string> {
  const { status, output } = await pulumi([...args, '--non-interactive'], 'pipe')
  if (status === 0) return output
  throw new CommandError(
    `pulumi ${args.slice(0, 2).join(' ')} failed. Its message is above. Check the stack, or name one with --stack.`,
  )
}

/** Parses what the CLI printed. @throws CommandError, which does not quote it: it can contain secrets */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new CommandError(
    'pulumi printed something other than a JSON object. Check its version: pulumi version.',
  )
}
