import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { minify } from 'terser'
import { licencesOf, root, writeBundle } from './bundle.ts'

/** Where `npm run build` writes the deployable Worker. Not committed. */
export const workerBundle = join(root, 'build/worker.js')

/** The version of Hono for which this list was checked: see what calls the modules, then raise it. */
const checkedHono = '4.13.19'

/** Hono modules that the handler never calls, and what they export. A bundler keeps them, because methods use them. */
const unusedHono: Readonly<Record<string, string>> = {
  body: 'parseBody',
  html: 'HtmlEscapedCallbackPhase, resolveCallback',
  mount: 'createMountedRequest',
}

/** Leaves out forms, markup and mounted applications. A call to one fails, because the function is missing. */
const withoutUnusedHono: Plugin = {
  name: 'without-unused-hono',
  async setup({ onLoad }) {
    const { version } = JSON.parse(await readFile(join(root, 'node_modules/hono/package.json'), 'utf8'))
    if (version !== checkedHono)
      throw new Error(
        `Hono is ${version}, but the build leaves out modules of Hono ${checkedHono}. Check what calls ${Object.keys(unusedHono).join(', ')} in hono/dist, then set checkedHono in tools/worker.ts.`,
      )
    onLoad({ filter: /[/\\]hono[/\\]dist[/\\]utils[/\\](body|html|mount)\.js$/ }, ({ path }) => {
      const names = unusedHono[/(\w+)\.js$/.exec(path)?.[1] ?? '']
      return { contents: `export let ${names}` }
    })
  },
}

/**
 * Bundles the sign-in handler for Workers as one minified ES module that needs no compatibility flag. `keepNames` is
 * off, because the pages' scripts are functions written out as text, and its wrapper does not exist in the browser.
 * Terser saves another 4 % after compression.
 * @throws Error if esbuild or terser fails
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
    plugins: [withoutUnusedHono],
  })
  const { code: text = '' } = await minify(outputFiles[0]?.text ?? '', {
    module: true,
    ecma: 2020,
    compress: { passes: 4 },
  })
  await writeBundle(workerBundle, text, [...Object.keys(metafile.inputs), 'tools/worker.ts'])
  await writeFile(workerBundle.replace(/\.js$/, '.licenses.txt'), await licencesOf(metafile))
}
