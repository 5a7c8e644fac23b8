import { join } from 'node:path'
import { vi } from 'vitest'
import { runAfterUp } from '../../../infra/after-up.ts'
import { runBootstrap } from '../../../infra/bootstrap/bootstrap.ts'
import { runDrift } from '../../../infra/drift/drift.ts'
import { root } from '../../../tools/bundle.ts'

const commands = { afterUp: runAfterUp, bootstrap: runBootstrap, drift: runDrift }
type Command = keyof typeof commands

/** Has a CLI that prints what the environment contains. */
export const emulatedCli = join(root, 'test/infra/fixtures/bin')

/**
 * Runs a command in this process, which costs a tenth of a process of its own. Meanwhile this process has that
 * environment and that folder, and writes nothing itself.
 */
export async function runInProcess(
  command: Command,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string = root,
) {
  const own = { env: process.env, cwd: process.cwd() }
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map(name =>
    vi.spyOn(process[name], 'write').mockImplementation(chunk => {
      written[name] += chunk
      return true
    }),
  )
  process.env = { ...env }
  process.chdir(cwd)
  try {
    const status = await commands[command](args)
    return { status, output: written.stdout, problem: written.stderr }
  } finally {
    process.env = own.env
    process.chdir(own.cwd)
    for (const spy of spies) spy.mockRestore()
  }
}
