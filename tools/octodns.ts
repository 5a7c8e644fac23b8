import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installed, installTimeoutMs } from './registry-program.ts'

const run = promisify(execFile)

/** The versions whose output `docs/beside-other-tools.md` shows. */
const packages = ['octodns==1.22.0', 'octodns-cloudflare==1.2.0']

/**
 * Returns the path of `octodns-sync`, a script for `python3` that needs `../` in PYTHONPATH. Installs it from PyPI once.
 * @throws Error with one sentence if Python or a package is missing
 */
export function octodns(): Promise<string> {
  return installed(packages.join('-'), 'bin/octodns-sync', 'Python 3 with venv', async work => {
    await run('python3', ['-m', 'venv', join(work, 'python')])
    // A virtual environment cannot be moved, but the folder of its packages can.
    const args = ['install', '--quiet', '--target', join(work, 'kept'), ...packages]
    await run(join(work, 'python/bin/pip'), args, { timeout: installTimeoutMs })
    return join(work, 'kept')
  })
}
