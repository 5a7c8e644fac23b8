import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { licencesOf, root, writeBundle } from './bundle.ts'

/** Where `npm run build` writes the deployable Worker. Not committed. */
export const workerBundle = join(root, 'build/worker.js')

/**
 * Bundles the sign-in handler for Workers as one minified ES module that needs no compatibility flag. `keepNames` is
 * off, because the pages' scripts are functions written out as text, and its wrapper does not exist in the browser.
 * @throws Error if esbuild fails
 */
export async function bundleWorker(): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    metafile: true,
    write: false,
    entryPoints: [join(root, 'src/worker.ts')],
    outfile: workerBundle,
    bundle: true,
    minify: true,
    keepNames: false,
    format: 'esm',
    platform: 'neutral',
    target: 'esnext',
    charset: 'utf8',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    legalComments: 'none',
    logLevel: 'silent',
  })
  await writeBundle(workerBundle, outputFiles[0]?.text ?? '', [
    ...Object.keys(metafile.inputs),
    'tools/worker.ts',
  ])
  await writeFile(workerBundle.replace(/\.js$/, '.licenses.txt'), await licencesOf(metafile))
}
