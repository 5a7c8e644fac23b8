import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { common, licencesOf, root, writeBundle } from './bundle.ts'

/** What differs between Workers. */
type Options = Pick<BuildOptions, 'banner' | 'conditions' | 'keepNames' | 'mainFields'>

/** Where `npm run build` writes the deployable Worker. Not committed. */
export const workerBundle = join(root, 'build/worker.js')

/**
 * Bundles a Worker as one minified ES module that needs no compatibility flag. Returns what it was made from.
 * @param more options of this Worker
 * @throws Error if esbuild fails, for example because something imports a module of Node
 */
export async function bundleModule(entry: string, outfile: string, more: Options) {
  const { metafile, outputFiles } = await build({
    ...common,
    entryPoints: [entry],
    outfile,
    format: 'esm',
    platform: 'neutral',
    target: 'esnext',
    charset: 'utf8',
    minify: true,
    ...more,
  })
  const sources = [...Object.keys(metafile.inputs), 'tools/worker.ts']
  await writeBundle(outfile, outputFiles[0]?.text ?? '', sources)
  return metafile
}

/**
 * Bundles the sign-in handler for Workers. `keepNames` is off, because the pages' scripts are functions written out as text,
 * and its wrapper does not exist in the browser.
 */
export async function bundleWorker(): Promise<void> {
  const conditions = ['workerd', 'worker', 'import']
  const more = { keepNames: false, mainFields: ['module', 'main'], conditions }
  const metafile = await bundleModule('src/worker.ts', workerBundle, more)
  await writeFile(workerBundle.replace(/\.js$/, '.licenses.txt'), await licencesOf(metafile))
}
