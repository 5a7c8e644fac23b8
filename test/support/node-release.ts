import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed } from '../../tools/registry-program.ts'

const run = promisify(execFile)

/**
 * Returns the path of a release of Node.js. Fetches it from npm once.
 * @throws Error if the registry cannot be reached, or has no package for this platform
 */
export function nodeRelease(version: string): Promise<string> {
  const fetched = async (work: string) => {
    const name = `node-${process.platform}-${process.arch}@${version}`
    const { stdout } = await run('npm', ['pack', '--silent', name], { cwd: work })
    await mkdir(join(work, 'kept'))
    await run('tar', ['-xzf', join(work, stdout.trim()), '-C', join(work, 'kept')])
    return join(work, 'kept')
  }
  return installed(`node-${version}`, 'package/bin/node', 'npm', fetched)
}
