import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { common, licencesOf, root, sourcesOf, writeBundle } from './bundle.ts'

/** Where `npm run build` writes the Node server. Not committed. */
export const serverBundle = join(root, 'build/server.js')

/**
 * The first minor versions of Node whose https agents can use a proxy (nodejs.org: `https.Agent`, `proxyEnv`). Older ones
 * ignore it without a word, and the client secret would go past the proxy (seen with 22.20). Node 23 never got it.
 */
export const minNode = { 22: 21, 24: 5 } as const

const inNode22 = `22.${minNode[22]}`
const inNode24 = `24.${minNode[24]}`
/** As messages and pages say it. */
export const nodeNeeded = `Node.js ${inNode24} or newer, or ${inNode22} or newer in 22`

/** Runs as CommonJS and as an ES module, so no package.json beside the file is needed, and none disturbs it. */
const banner = `#!/usr/bin/env node
(function ([major, minor]) {
  if (major > 24 || (major === 24 && minor >= ${minNode[24]}) || (major === 22 && minor >= ${minNode[22]})) return;
  console.error('Homeport needs ${nodeNeeded}. This is ' + process.version + '.');
  process.exit(2);
})(process.versions.node.split('.').map(Number));
var require = process.getBuiltinModule('node:module').createRequire(process.execPath);`

/**
 * Bundles the sign-in handler and its commands for Node as one file that needs nothing else, with the licences of what
 * is in it. It is not minified, so that operators can read what runs.
 * @throws Error if esbuild fails, or a package has no licence
 */
export async function bundleServer(outfile: string = serverBundle): Promise<void> {
  const { metafile, outputFiles } = await build({
    ...common,
    entryPoints: ['src/operator/server.ts'],
    outfile,
    format: 'iife',
    platform: 'node',
    target: `node${inNode22}`,
    // The entry starts what was asked for. Other modules would otherwise take themselves for the program.
    define: { 'import.meta.main': 'false' },
    // pg uses them only on request, and in Workers. Its own './native' needs the first.
    external: ['./native', 'pg-native', 'pg-cloudflare'],
    banner: { js: banner },
  })
  // Help and messages name the commands as this file's user runs them.
  const text = (outputFiles[0]?.text ?? '').replaceAll(/npm run (employees|keys) --/g, 'node server.js $1')
  await writeBundle(outfile, text, [...sourcesOf(metafile), 'tools/server.ts'], 0o755)
  await writeFile(outfile.replace(/\.js$/, '.licenses.txt'), await licencesOf(metafile))
}
