import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, isExecutable } from './find-program.ts'

const run = promisify(execFile)
const installTimeoutMs = 5 * 60 * 1000

/**
 * Returns the path of zizmor, a security linter for workflows. Installs it from PyPI once.
 * @throws Error if Python or the package is missing
 */
export async function zizmor(): Promise<string> {
  const version = '1.32.0'
  const folder = join(cacheFolder(), `zizmor-${version}`)
  const program = join(folder, 'bin/zizmor')
  if (await isExecutable(program)) return program
  await run('python3', ['-m', 'venv', folder])
  await run(join(folder, 'bin/pip'), ['install', '--quiet', `zizmor==${version}`], {
    timeout: installTimeoutMs,
  })
  return program
}

/**
 * Returns the path of actionlint, a linter for workflows. Builds it with Go once.
 * @throws Error if Go or the module is missing
 */
export async function actionlint(): Promise<string> {
  const version = '1.7.12'
  const folder = join(cacheFolder(), `actionlint-${version}`)
  const program = join(folder, 'actionlint')
  if (await isExecutable(program)) return program
  await mkdir(folder, { recursive: true })
  const module = `github.com/rhysd/actionlint/cmd/actionlint@v${version}`
  await run('go', ['install', module], { env: { ...process.env, GOBIN: folder }, timeout: installTimeoutMs })
  return program
}
