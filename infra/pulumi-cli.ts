import { CommandError } from '../lib/command.ts'
import { parseObject as parse } from '../lib/json.ts'
import { runProgram } from './run-program.ts'

const timeoutMs = 60 * 1000

/** Runs the CLI in this folder. Returns its output. @throws CommandError if it fails or is not installed */
export async function askPulumi(args: readonly string[]): Promise<string> {
  const call = { cwd: process.cwd(), env: process.env, stdout: 'pipe', timeoutMs } as const
  const end = await runProgram('pulumi', [...args, '--non-interactive'], call).catch(() => null)
  if (end === null) throw new CommandError('pulumi was not found. Install it, and put it on PATH.')
  if (end.status === 0) return end.output
  throw new CommandError(
    `pulumi ${args.slice(0, 2).join(' ')} failed. Its message is above. Check the stack, or name one with --stack.`,
  )
}

/** Parses what the CLI printed. @throws CommandError, which does not quote it: it can contain secrets */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  const found = parse(text)
  if (found !== null) return found
  throw new CommandError(
    'pulumi printed something other than a JSON object. Check its version: pulumi version.',
  )
}
