import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const committedBundle = 'action/dist'

/**
 * Bundles the action into a folder: one ES module, not minified, so that a user can read what runs, with the licences
 * of what is inside and the package.json that makes it a module. Same lockfile, same bytes. ncc reads action/tsconfig.json,
 * without which it would type-check every room. Throws what ncc printed
 * when it fails.
 */
export async function bundleAction(folder: string): Promise<void> {
  const ncc = createRequire(import.meta.url).resolve('@vercel/ncc/dist/ncc/cli.js')
  const options = ['--out', folder, '--license', 'licenses.txt', '--no-cache', '--quiet']
  try {
    await promisify(execFile)(process.execPath, [ncc, 'build', 'action/main.ts', ...options], { cwd: root })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`ncc could not bundle action/main.ts:\n${stdout}${stderr}`)
  }
}
