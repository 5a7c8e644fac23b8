import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { root } from './bundle.ts'

/** Where `npm run build` writes what is deployed; not committed. */
export const workerBundle = join(root, 'build/worker.js')

/**
 * Bundles the sign-in handler for Workers: one minified ES module that needs no compatibility flag. Names are kept as
 * they are minified: the pages' scripts are functions written out as text, and a wrapper that restores names would not
 * exist in the browser. Throws when esbuild refuses.
 */
export async function bundleWorker(outfile: string = workerBundle): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
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
  await recordInputs(outfile, metafile)
}

/**
 * Writes `worker.inputs.json` beside `worker.js`: the SHA-256 of the bundle and of every file that went into it, the
 * recipe among them, by path from the root. Whoever deploys the bundle can tell by it that the sources have changed.
 */
async function recordInputs(outfile: string, { inputs }: Metafile): Promise<void> {
  const recipe = relative(root, import.meta.filename)
  const paths = [...Object.keys(inputs), recipe].toSorted()
  const digests = await Promise.all(paths.map(async path => [path, await sha256(join(root, path))]))
  const record = { bundle: await sha256(outfile), inputs: Object.fromEntries(digests) }
  await writeFile(outfile.replace(/\.js$/, '.inputs.json'), `${JSON.stringify(record, null, 2)}\n`)
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}
