import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, type TestContext } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { actionlint, zizmor } from '../../tools/workflow-linters.ts'

/** Installs a program, or skips the test and prints why it cannot be installed. Returns its path. */
async function installedOrSkip(install: () => Promise<string>, context: TestContext): Promise<string> {
  try {
    return await install()
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    process.stdout.write(`Not run: ${context.task.name}: ${reason}\n`)
    return context.skip(reason)
  }
}

/** Runs a linter. Returns its exit status and everything that it printed. */
async function lint(program: string, args: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', NO_COLOR: '1' }
  return promisify(execFile)(program, args, { cwd: root, env }).then(
    ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: code as number, output: `${stdout}${stderr}` }),
  )
}

describe('the workflows of this repository and those for users', () => {
  it('give zizmor nothing to report', async context => {
    const program = await installedOrSkip(zizmor, context)
    const { status, output } = await lint(program, ['--offline', '.github', 'docs/workflows', 'action.yml'])
    expect(output).toContain('No findings to report')
    expect(status).toBe(0)
  })

  it('give actionlint nothing to report', async context => {
    const program = await installedOrSkip(actionlint, context)
    // actionlint 1.7.12 does not know `$/`, the running commit of the same repository (rhysd/actionlint#711).
    const options = ['-no-color', '-ignore', 'specifying action "\\$/"']
    const workflows = await promisify(execFile)('git', ['ls-files', '.github/workflows', 'docs/workflows'], {
      cwd: root,
    })
    const files = workflows.stdout.trim().split('\n')
    expect(await lint(program, [...options, ...files])).toEqual({ status: 0, output: '' })
  })
})
