import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { minify } from 'terser'
import { root } from './bundle.ts'

/** Where `npm run build` writes what is deployed; not committed. */
export const workerBundle = join(root, 'build/worker.js')

/** Modules of Hono for what the handler never calls, and what they export. A bundler cannot tell, as methods use them. */
const unusedHono: Readonly<Record<string, string>> = {
  body: 'parseBody',
  html: 'HtmlEscapedCallbackPhase, resolveCallback',
  mount: 'createMountedRequest',
}

/** Leaves those out: forms, markup, mounted applications. Calling one fails loudly, as the function is not there. */
const withoutUnusedHono: Plugin = {
  name: 'without-unused-hono',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]hono[/\\]dist[/\\]utils[/\\](body|html|mount)\.js$/ }, ({ path }) => {
      const names = unusedHono[/(\w+)\.js$/.exec(path)?.[1] ?? '']
      return { contents: `export let ${names}` }
    })
  },
}

/**
 * Bundles the sign-in handler for Workers: one minified ES module that needs no compatibility flag. Names are kept as
 * they are minified: the pages' scripts are functions written out as text, and a wrapper that restores names would not
 * exist in the browser. Terser makes what esbuild minified another 4 % smaller once compressed. Throws when either
 * refuses.
 */
export async function bundleWorker(outfile: string = workerBundle): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    metafile: true,
    write: false,
    entryPoints: [join(root, 'src/worker.ts')],
    outfile,
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
    compress: { passes: 2 },
  })
  const record = { bundle: sha256(text), inputs: await digestsOf(metafile) }
  await mkdir(dirname(outfile), { recursive: true })
  await replaceFile(outfile, text)
  await replaceFile(outfile.replace(/\.js$/, '.inputs.json'), `${JSON.stringify(record, null, 2)}\n`)
}

/**
 * The SHA-256 of every file that went into the bundle, this recipe among them, by path from the root. Whoever deploys the
 * bundle can tell by it that the sources have changed since.
 */
async function digestsOf({ inputs }: Metafile): Promise<Readonly<Record<string, string>>> {
  const paths = [...Object.keys(inputs), relative(root, import.meta.filename)].toSorted()
  const texts = await Promise.all(paths.map(path => readFile(join(root, path), 'utf8')))
  return Object.fromEntries(paths.map((path, index) => [path, sha256(texts[index] ?? '')]))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Whoever reads meanwhile sees the old file or the new one, never a part. */
async function replaceFile(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  await writeFile(aside, text)
  await rename(aside, path)
}
