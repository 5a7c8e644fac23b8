import { join } from 'node:path'
import { build } from 'esbuild'
import { common, nodeCheck, root, sourcesOf, withoutComments, writeBundle } from './bundle.ts'
import { bundleModule } from './worker.ts'

/** Where `npm run build` writes the push endpoint for Node and for Workers, and the clock. Not committed. */
export const pushBundle = join(root, 'build/push.js')
export const pushWorkerBundle = join(root, 'build/push-worker.js')
export const clockBundle = join(root, 'build/clock-worker.js')

const licence = '/* Homeport. MIT licence. https://opensource.org/license/mit */'

/**
 * Bundles the endpoint and its commands for Node as one file that needs nothing else. It runs as CommonJS and as an ES
 * module, so no package.json beside it matters. It is not minified, so that operators can read what runs; comments stay in the source.
 * @throws Error if esbuild fails
 */
export async function bundlePush(outfile: string = pushBundle): Promise<void> {
  const { metafile, outputFiles } = await build({
    ...common,
    entryPoints: ['push/cli.ts'],
    outfile,
    format: 'iife',
    platform: 'node',
    target: 'node22.3',
    define: { 'import.meta.main': 'false' },
    plugins: [withoutComments],
    banner: {
      js: `#!/usr/bin/env node\n${licence}\n${nodeCheck}\nvar require = process.getBuiltinModule('node:module').createRequire(process.execPath);`,
    },
  })
  // Help and messages name the commands as this file's user runs them.
  const text = (outputFiles[0]?.text ?? '').replaceAll('npm run push --', 'node push.js')
  await writeBundle(outfile, text, [...sourcesOf(metafile), 'tools/push.ts'], 0o755)
}

/** Bundles the endpoint for Workers. */
export const bundlePushWorker = () =>
  bundleModule('push/worker.ts', pushWorkerBundle, { banner: { js: licence } })

/** Bundles the clock for Workers. */
export const bundleClock = () => bundleModule('push/clock.ts', clockBundle, { banner: { js: licence } })
