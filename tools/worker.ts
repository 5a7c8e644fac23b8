import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { minify } from 'terser'
import { licencesOf, root } from './bundle.ts'

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

/** Returns why modules of a version of Hono cannot be left out of the bundle, or null. */
export function honoProblem(version: string): string | null {
  return version === checkedHono
    ? null
    : `Hono is ${version}, but the build leaves out modules of Hono ${checkedHono}. Check what calls ${Object.keys(unusedHono).join(', ')} in hono/dist, then set checkedHono in tools/worker.ts.`
}

/** Leaves out forms, markup and mounted applications. A call to one fails, because the function is missing. */
const withoutUnusedHono: Plugin = {
  name: 'without-unused-hono',
  async setup({ onLoad }) {
    const { version } = JSON.parse(await readFile(join(root, 'node_modules/hono/package.json'), 'utf8'))
    const problem = honoProblem(version)
    if (problem) throw new Error(problem)
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
  await writeWorker(workerBundle, text, metafile, import.meta.filename)
  await replaceFile(workerBundle.replace(/\.js$/, '.licenses.txt'), await licencesOf(metafile))
}

/**
 * Writes a bundle, and beside it the SHA-256 of every file in it, and of the program that made it, by path from the root.
 * A deployment uses them to see that the sources have changed since the build.
 */
export async function writeWorker(
  outfile: string,
  text: string,
  { inputs }: Metafile,
  builder: string,
): Promise<void> {
  const paths = [...Object.keys(inputs), relative(root, builder)].toSorted()
  const texts = await Promise.all(paths.map(path => readFile(join(root, path), 'utf8')))
  const digests = Object.fromEntries(paths.map((path, index) => [path, sha256(texts[index] ?? '')]))
  const record = { bundle: sha256(text), inputs: digests }
  await mkdir(dirname(outfile), { recursive: true })
  await replaceFile(outfile, text)
  await replaceFile(outfile.replace(/\.m?js$/, '.inputs.json'), `${JSON.stringify(record, null, 2)}\n`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Replaces a file at once: a concurrent reader sees the old text or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  await writeFile(aside, text)
  await rename(aside, path)
}
