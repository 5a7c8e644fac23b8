import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './bundle.ts'

/** Where `npm run build` writes what is deployed; not committed. */
export const workerBundle = join(root, 'build/worker.js')

/**
 * Bundles the sign-in handler for Workers: one minified ES module that needs no compatibility flag. Names are kept as
 * they are minified: the pages' scripts are functions written out as text, and a wrapper that restores names would not
 * exist in the browser. Throws when esbuild refuses.
 */
export async function bundleWorker(outfile: string = workerBundle): Promise<void> {
  await build({
    entryPoints: [join(root, 'src/worker.ts')],
    outfile,
    bundle: true,
    minify: true,
    keepNames: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    legalComments: 'none',
    logLevel: 'silent',
  })
}
