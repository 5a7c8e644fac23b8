import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Metafile, type Plugin } from 'esbuild'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const committedBundle = 'action/dist'

/**
 * Modules of Node are required and not imported: importing one evaluates everything that it exports. Of `node:http` that
 * includes WebSocket, and with it a second HTTP client, which would take longer than the rest of the start.
 */
const banner = 'const require = process.getBuiltinModule;'

/** Leaves out modules of the toolkit that nothing uses, such as its job summary. Its package.json does not say that it may. */
const withoutUnusedToolkit: Plugin = {
  name: 'without-unused-toolkit',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === 'resolving' || !/[/\\]@actions[/\\]core[/\\]/.test(importer)) return
      return { ...(await resolve(path, { resolveDir, kind, pluginData: 'resolving' })), sideEffects: false }
    })
  },
}

/**
 * Bundles the action into a folder: one ES module with its licences and a package.json. esbuild leaves out what nothing
 * calls, and ncc packs the rest. It is not minified, so that users can read what runs; comments stay in the source.
 * The same lockfile gives the same bytes.
 * @throws Error if a package has no licence, or with what esbuild or ncc printed
 */
export async function bundleAction(folder: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
  try {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['action/main.ts'],
      outfile: join(work, 'index.mjs'),
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node22',
      banner: { js: banner },
      legalComments: 'none',
      logLevel: 'silent',
      metafile: true,
      plugins: [withoutUnusedToolkit],
    })
    await pack(work)
    await writeFile(join(folder, 'index.js'), await readFile(join(work, 'packed', 'index.mjs')))
    await writeFile(join(folder, 'package.json'), `${JSON.stringify({ type: 'module' }, null, 2)}\n`)
    await writeFile(join(folder, 'licenses.txt'), await licencesOf(metafile))
  } finally {
    await rm(work, { recursive: true })
  }
}

/** Packs a folder's `index.mjs` into its folder `packed`. ncc writes the file's path, relative to where it runs. */
async function pack(folder: string): Promise<void> {
  const ncc = createRequire(import.meta.url).resolve('@vercel/ncc/dist/ncc/cli.js')
  const options = ['--out', 'packed', '--no-cache', '--quiet']
  try {
    await promisify(execFile)(process.execPath, [ncc, 'build', 'index.mjs', ...options], { cwd: folder })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`ncc could not pack action/main.ts:\n${stdout}${stderr}`)
  }
}

/** Returns the licences of all packages in the bundle, each under the name of its package. */
export async function licencesOf({ outputs }: Metafile): Promise<string> {
  const paths = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const packages = paths.flatMap(path => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  const texts = [...new Set(packages)].toSorted().map(async name => `${name}\n${await licenceOf(name)}\n`)
  return (await Promise.all(texts)).join('\n')
}

/** Returns the text of a package's licence. A package without one is named with what its package.json says. */
async function licenceOf(name: string): Promise<string> {
  const folder = join(root, 'node_modules', name)
  const file = (await readdir(folder)).find(entry => /^licen[cs]e/i.test(entry))
  if (file) return (await readFile(join(folder, file), 'utf8')).trim()
  const { license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  if (typeof license === 'string')
    return `${license} (from package.json; the package contains no licence text)`
  throw new Error(`node_modules/${name} is in the bundle, but has no licence.`)
}
