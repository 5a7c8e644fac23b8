import { join } from 'node:path'
import { vi } from 'vitest'
import * as bootstrap from '../../../infra/doctor/bootstrap.ts'
import * as drift from '../../../infra/doctor/drift.ts'
import { runCommand, terminal } from '../../../lib/command.ts'
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
  const call = `npm run ${command} --`
  try {
    const status =
      command === 'drift'
        ? await runCommand({ args, call, ...drift }, terminal, drift.reportDrift)
        : await runCommand({ args, call, ...bootstrap }, terminal, bootstrap.reportNextStep)
    return { status, output: written.stdout, problem: written.stderr }
  } finally {
    process.env = own.env
    process.chdir(own.cwd)
    for (const spy of spies) spy.mockRestore()
  }
}
