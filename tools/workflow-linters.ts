import { execFile } from 'node:child_process'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed, installTimeoutMs } from './registry-program.ts'

const run = promisify(execFile)

/**
 * Returns the path of zizmor, a security linter for workflows. Installs it from PyPI once.
 * @throws Error with one sentence if Python or the package is missing
 */
export function zizmor(): Promise<string> {
  const version = '1.32.0'
  return installed(`zizmor-${version}`, 'bin/zizmor', 'Python 3 with venv', async work => {
    await run('python3', ['-m', 'venv', join(work, 'python')])
    const args = ['install', '--quiet', `zizmor==${version}`]
    await run(join(work, 'python/bin/pip'), args, { timeout: installTimeoutMs })
    // It is a program of its own, while the rest of the folder cannot be moved.
    await mkdir(join(work, 'kept/bin'), { recursive: true })
    await rename(join(work, 'python/bin/zizmor'), join(work, 'kept/bin/zizmor'))
    return join(work, 'kept')
  })
}

/**
 * Returns the path of actionlint, a linter for workflows. Builds it with Go once.
 * @throws Error with one sentence if Go or the module is missing
 */
export function actionlint(): Promise<string> {
  const version = '1.7.12'
  return installed(`actionlint-${version}`, 'actionlint', 'Go', async work => {
    const module = `github.com/rhysd/actionlint/cmd/actionlint@v${version}`
    await run('go', ['install', module], { env: { ...process.env, GOBIN: work }, timeout: installTimeoutMs })
    return work
  })
}
