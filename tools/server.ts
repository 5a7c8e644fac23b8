import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { licencesOf, root } from './bundle.ts'

/** Where `npm run build` writes the Node server. Not committed. */
export const serverBundle = join(root, 'build/server.js')

/** Runs as CommonJS and as an ES module, so no package.json beside the file is needed, and none disturbs it. */
const banner = `#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < 22) {
  console.error('Homeport needs Node.js 22 or newer. This is ' + process.version + '.');
  process.exit(1);
}
var require = process.getBuiltinModule('node:module').createRequire(process.execPath);`

/**
 * Bundles the sign-in handler and its commands for Node as one file that needs nothing else, with the licences of what
 * is in it. It is not minified, so that operators can read what runs.
 * @throws Error if esbuild fails, or a package has no licence
 */
export async function bundleServer(outfile: string = serverBundle): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    metafile: true,
    write: false,
    entryPoints: ['src/server.ts'],
    outfile,
    bundle: true,
    format: 'iife',
    platform: 'node',
    target: 'node22',
    // The entry starts what was asked for. Other modules would otherwise take themselves for the program.
    define: { 'import.meta.main': 'false' },
    // pg uses them only on request, and in Workers.
    external: ['pg-native', 'pg-cloudflare'],
    banner: { js: banner },
    legalComments: 'none',
    logLevel: 'silent',
  })
  // Help and messages name the commands as this file's user runs them.
  const text = (outputFiles[0]?.text ?? '').replaceAll(/npm run (employees|keys) --/g, 'node server.js $1')
  await mkdir(dirname(outfile), { recursive: true })
  await writeFile(`${outfile}.${process.pid}`, text, { mode: 0o755 })
  await rename(`${outfile}.${process.pid}`, outfile)
  await writeFile(outfile.replace(/\.js$/, '.licenses.txt'), await licencesOf(metafile))
}
