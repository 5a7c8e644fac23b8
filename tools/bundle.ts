import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Metafile, type Plugin } from 'esbuild'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const committedBundle = 'action/dist'

/** What esbuild gets for every bundle. */
export const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  metafile: true,
  legalComments: 'none',
  logLevel: 'silent',
} as const

/** The first minor version of Node that has `process.getBuiltinModule`, as messages and pages say it. */
const commandNodeNeeded = '22.3'
const [neededMajor, neededMinor] = commandNodeNeeded.split('.')

/** Starts a bundle: ends it with a sentence in an older Node, before anything else can fail there. */
export const nodeCheck = `(function (major, minor) {
  if (major > ${neededMajor} || (major === ${neededMajor} && minor >= ${neededMinor})) return;
  const message = 'Homeport needs Node.js ${commandNodeNeeded} or newer. This is ' + process.versions.node + '.';
  if (process.env.GITHUB_ACTIONS === 'true') console.log('::error title=Homeport::' + message);
  else console.error('error: ' + message);
  process.exit(1);
}).apply(null, process.versions.node.split('.').map(Number));`

/**
 * Modules of Node are required, not imported: importing one evaluates everything that it exports. For `node:http` that
 * includes WebSocket, and with it a second HTTP client, which would take longer than the rest of the start. An older
 * Node has nothing to require them with.
 */
const banner = `${nodeCheck}
const require = process.getBuiltinModule;`

/** The bundle exports nothing. Without this line it also runs as an ES module, as the release's `homeport.mjs` does. */
const exportsOfCommonJs = 'module.exports = __webpack_exports__;'

/** Leaves out unused modules of the toolkit, such as its job summary. Its package.json does not say that this is safe. */
const withoutUnusedToolkit: Plugin = {
  name: 'without-unused-toolkit',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === 'resolving' || !/[/\\]@actions[/\\]core[/\\]/.test(importer)) return
      return { ...(await resolve(path, { resolveDir, kind, pluginData: 'resolving' })), sideEffects: false }
    })
  },
}

/**
 * Spares the start two costs of the toolkit's `import * as os from 'os'`: esbuild would copy every member of the module, and
 * `node:crypto` loads a dozen modules for the one UUID that the toolkit takes from it. The global `crypto` loads few.
 */
const withoutNamespaces: Plugin = {
  name: 'without-namespaces',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(crypto|fs|os)$/ }, ({ path, importer }) =>
      /[/\\]@actions[/\\]core[/\\]/.test(importer) ? { path, namespace: 'members' } : undefined,
    )
    onLoad({ filter: /^crypto$/, namespace: 'members' }, () => ({
      contents: 'export const randomUUID = () => globalThis.crypto.randomUUID()',
    }))
    onLoad({ filter: /^/, namespace: 'members' }, ({ path }) => ({
      contents: Object.keys(process.getBuiltinModule(path) ?? {})
        .map(name => `export const ${name} = /* @__PURE__ */ (() => require('node:${path}').${name})()`)
        .concat(`export default /* @__PURE__ */ (() => require('node:${path}'))()`)
        .join('\n'),
    }))
  },
}

/** Leaves out comments on lines of their own: esbuild keeps those inside objects and lists. */
export const withoutComments: Plugin = {
  name: 'without-comments',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\](action|lib|push)[/\\].*\.[jt]s$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/^ *(\/\/.*|\/\*\*?\s[\s\S]*?\*\/)$/gm, ''),
      loader: path.endsWith('.ts') ? 'ts' : 'js',
    }))
  },
}

/**
 * Bundles the action into a folder: one CommonJS module, which starts faster, with its licences and a package.json.
 * esbuild leaves out what nothing calls, and ncc packs the rest. It is not minified, so that users can read what runs;
 * comments stay in the source. The same lockfile gives the same bytes. Returns what it was made from.
 * @throws Error if a package has no licence, or with what esbuild or ncc printed
 */
export async function bundleAction(folder: string): Promise<readonly string[]> {
  const work = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
  try {
    const { metafile } = await build({
      ...common,
      write: true,
      entryPoints: ['action/main.ts'],
      outfile: join(work, 'index.cjs'),
      format: 'cjs',
      banner: { js: banner },
      platform: 'node',
      target: 'node22',
      plugins: [withoutUnusedToolkit, withoutNamespaces, withoutComments],
    })
    await pack(work)
    const packed = await readFile(join(work, 'packed', 'index.cjs'), 'utf8')
    // Executable as in git, since it is the program that `npm link` makes available.
    await writeFile(join(folder, 'index.js'), packed.replace(`${exportsOfCommonJs}\n`, ''), { mode: 0o755 })
    await writeFile(join(folder, 'package.json'), `${JSON.stringify({ type: 'commonjs' }, null, 2)}\n`)
    await writeFile(join(folder, 'licenses.txt'), await licencesOf(metafile))
    return [...sourcesOf(metafile), 'tools/bundle.ts']
  } finally {
    await rm(work, { recursive: true })
  }
}

/** Bundles the action as `bundleAction` does, for tests: they run the sources as they are, not the committed bundle. */
export async function bundlePresentAction(outfile: string): Promise<void> {
  const fresh = await mkdtemp(join(tmpdir(), 'homeport-bundle-'))
  try {
    const sources = await bundleAction(fresh)
    await mkdir(dirname(outfile), { recursive: true })
    // The bundle comes last: a test that finds it starts it.
    await cp(join(fresh, 'package.json'), join(dirname(outfile), 'package.json'))
    await writeBundle(outfile, await readFile(join(fresh, 'index.js'), 'utf8'), sources, 0o755)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Packs a folder's `index.cjs` into its folder `packed`. Runs there, because ncc writes the relative path of the file. */
async function pack(folder: string): Promise<void> {
  const ncc = createRequire(import.meta.url).resolve('@vercel/ncc/dist/ncc/cli.js')
  const options = ['--out', 'packed', '--no-cache', '--quiet']
  try {
    await promisify(execFile)(process.execPath, [ncc, 'build', 'index.cjs', ...options], { cwd: folder })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`ncc could not pack action/main.ts:\n${stdout}${stderr}`)
  }
}

/** Returns the licences of all packages in the bundle, each under the name of its package. */
export async function licencesOf({ outputs }: Metafile): Promise<string> {
  const paths = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const packages = paths.flatMap(path => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  const texts = [...new Set(packages)].toSorted().map(async name => `${name}\n${await licenceOf(name)}\n`)
  return (await Promise.all(texts)).join('\n')
}

/** Returns the text of a package's licence. Without one, returns what its package.json says. */
async function licenceOf(name: string): Promise<string> {
  const folder = join(root, 'node_modules', name)
  const file = (await readdir(folder)).find(entry => /^licen[cs]e/i.test(entry))
  if (file) return (await readFile(join(folder, file), 'utf8')).trim()
  const { license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  if (typeof license === 'string')
    return `${license} (from package.json; the package contains no licence text)`
  throw new Error(`node_modules/${name} is in the bundle, but has no licence.`)
}

/**
 * Writes a bundle, and beside it the SHA-256 of every file that it was made from, by path from the root. A deployment and a start
 * use them to see that the sources have changed since the build.
 */
export async function writeBundle(
  outfile: string,
  text: string,
  sources: readonly string[],
  mode = 0o644,
): Promise<void> {
  const digests = sources
    .toSorted()
    .map(async path => [path, sha256(await readFile(join(root, path), 'utf8'))] as const)
  const record = { bundle: sha256(text), inputs: Object.fromEntries(await Promise.all(digests)) }
  await mkdir(dirname(outfile), { recursive: true })
  await replaceFile(outfile, text, mode)
  await replaceFile(outfile.replace(/\.m?js$/, '.inputs.json'), `${JSON.stringify(record, null, 2)}\n`, 0o644)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Replaces a file at once: a concurrent reader sees the old text or the new one. */
async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const aside = `${path}.${process.pid}`
  await writeFile(aside, text, { mode })
  await rename(aside, path)
}

/** Returns the sources of this repository in a bundle, and the lockfile, which says what else is in it. */
export function sourcesOf({ inputs }: Metafile): readonly string[] {
  return [
    ...Object.keys(inputs).filter(path => !/^(node_modules\/|members:)/.test(path)),
    'package-lock.json',
  ]
}

/** Returns the path of a bundle in build/ or another folder, which is built first unless it is fresh. Throws if that fails. */
export const freshBundle: (name: 'server' | 'push' | 'action', folder?: string) => string = createRequire(
  import.meta.url,
)('./start.cjs').freshBundle
