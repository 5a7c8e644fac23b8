import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const committedBundle = 'action/dist'

/** The one CommonJS package in the bundle, a proxy tunnel, requires modules of Node. */
const banner = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);"

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
 * Bundles the action into a folder: one ES module with its licences and a package.json. It is not minified, so that
 * users can read what runs; comments stay in the source. The same lockfile gives the same bytes.
 * @throws Error if esbuild fails, or a package has no licence
 */
export async function bundleAction(folder: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['action/main.ts'],
    outfile: join(folder, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    banner: { js: banner },
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
    plugins: [withoutUnusedToolkit],
  })
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ type: 'module' }, null, 2)}\n`)
  await writeFile(join(folder, 'licenses.txt'), await licencesOf(metafile))
}

/** Returns the licences of all packages in the bundle, each under the name of its package. */
async function licencesOf({ outputs }: Metafile): Promise<string> {
  const paths = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const packages = paths.flatMap(path => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  const texts = [...new Set(packages)].toSorted().map(async name => {
    const files = await readdir(join(root, 'node_modules', name))
    const licence = files.find(file => /^licen[cs]e/i.test(file))
    if (!licence) throw new Error(`node_modules/${name} is in the bundle, but has no licence.`)
    return `${name}\n${(await readFile(join(root, 'node_modules', name, licence), 'utf8')).trim()}\n`
  })
  return (await Promise.all(texts)).join('\n')
}
