import { once } from 'node:events'
import { styleText } from 'node:util'

/** The options of a demo, as they were given. */
export type Values = Readonly<Record<string, string | boolean | undefined>>

export const write = (text: string): void => void process.stdout.write(`${text}\n`)
export const dim = (text: string): string => styleText('dim', text)

/** Says which steps failed, or that all succeeded. Returns the exit status. */
export function conclude(failed: readonly string[], success: string): number {
  if (failed.length === 0) write(`\n${styleText('green', 'Every step succeeded:')} ${success}`)
  else write(`\n${styleText('red', `Failed: ${failed.join('; ')}.`)} Please report the output above.`)
  return failed.length === 0 ? 0 : 1
}

/** Resolves at a signal to end. */
export async function interrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}
