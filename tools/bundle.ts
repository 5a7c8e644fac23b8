import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const committedBundle = 'action/dist'

/**
 * Bundles the action into a folder: one ES module with its licences and a package.json. It is not minified, so that
 * users can read what runs; comments stay in the source. The same lockfile gives the same bytes. ncc reads
 * action/tsconfig.json; without that file it would type-check every room.
 * @throws Error with what ncc printed
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
  const file = join(folder, 'index.js')
  await writeFile(file, await removeUnused(await readFile(file, 'utf8')))
}

/** Removes functions that nothing calls, which ncc keeps, and comments other than the name of each module's file. */
async function removeUnused(bundle: string): Promise<string> {
  const named = bundle.replace(/^;\/\/ CONCATENATED MODULE: (.+)$/gm, '//! $1')
  const options = { format: 'esm', platform: 'node', target: 'node22', treeShaking: true } as const
  const { code } = await transform(named, { ...options, legalComments: 'inline' })
  return code
}
