import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed, installTimeoutMs } from './registry-program.ts'

const script = 'node_modules/wrangler/bin/wrangler.js'

/**
 * Returns the path of wrangler, Cloudflare's command for Workers, which Node runs. Installs it from npm once, outside this
 * project: it has a workerd of its own, and only a test needs it.
 * @throws Error with one sentence if npm or the package is missing
 */
export function wrangler(): Promise<string> {
  const version = '4.86.0'
  return installed(`wrangler-${version}`, script, 'npm', async work => {
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `wrangler@${version}`]
    await promisify(execFile)('npm', ['--prefix', work, ...args], { timeout: installTimeoutMs })
    await chmod(join(work, script), 0o755)
    return work
  })
}
