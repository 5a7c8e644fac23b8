import { join } from 'node:path'
import { vi } from 'vitest'
import { readOptions, reportRefusal } from '../../../infra/command.ts'
import * as bootstrap from '../../../infra/doctor/bootstrap.ts'
import * as drift from '../../../infra/doctor/drift.ts'
import { root } from '../../../tools/bundle.ts'
import { startNode } from '../../support/command.ts'

type Command = 'bootstrap' | 'drift'

/** Starts `npm run COMMAND`. Resolves when it has ended. */
export const startDoctor = (command: Command, args: readonly string[], env: NodeJS.ProcessEnv) =>
  startNode([join(root, 'infra/doctor/doctor.ts'), command, ...args], env).ended

/**
 * Runs a command in this process, which costs a tenth of a process of its own. Meanwhile this process has that
 * environment and that folder, and writes nothing itself.
 */
export async function runDoctor(
  command: Command,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string = root,
) {
  const own = { env: process.env, cwd: process.cwd(), exitCode: process.exitCode }
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map(name =>
    vi.spyOn(process[name], 'write').mockImplementation(chunk => {
      written[name] += chunk
      return true
    }),
  )
  process.env = { ...env }
  process.exitCode = undefined
  process.chdir(cwd)
  try {
    if (command === 'drift') await drift.run(readOptions(args, drift.options, command))
    else await bootstrap.run(readOptions(args, bootstrap.options, command))
  } catch (error) {
    reportRefusal(error)
  } finally {
    process.env = own.env
    process.chdir(own.cwd)
    for (const spy of spies) spy.mockRestore()
  }
  const status = process.exitCode ?? 0
  process.exitCode = own.exitCode
  return { status, output: written.stdout, problem: written.stderr }
}
