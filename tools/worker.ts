import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
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
    target: 'esnext',
    charset: 'utf8',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [withoutUnusedHono],
  })
}
