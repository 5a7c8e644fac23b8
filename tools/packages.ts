import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, readFile, readlink, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fromCache } from './cache.ts'

/**
 * The packages that `npm ci` leaves out, since most of its users need none of them. Each set is a folder in `packages/`
 * with a manifest and a lockfile.
 */
const sets = {
  runtimes: { purpose: 'What the sandbox and the demos start', megabytes: 300 },
  checks: { purpose: 'What only tests, checks and benchmarks load', megabytes: 270 },
} as const

export type PackageSet = keyof typeof sets

const root = fileURLToPath(new URL('..', import.meta.url))

const advice =
  'It needs npm and its registry: see `npm config get registry`, and behind a proxy `npm config set https-proxy URL`. Then start again.'

/** A set could not be installed. The message says what to do. */
export class NoPackages extends Error {
  override readonly name = 'NoPackages'
}

/**
 * Makes packages importable that `npm ci` leaves out. The first time on this machine, npm installs them into the cache;
 * `node_modules` has links to them.
 * @throws NoPackages
 */
export async function providePackages(...names: readonly PackageSet[]): Promise<void> {
  for (const name of names) await provide(name)
}

async function provide(set: PackageSet): Promise<void> {
  const source = join(root, 'tools/packages', set)
  const [manifest, lock] = await Promise.all(
    ['package.json', 'package-lock.json'].map(file => readFile(join(source, file), 'utf8')),
  )
  const { dependencies } = JSON.parse(manifest ?? '') as { dependencies: Readonly<Record<string, string>> }
  const digest = createHash('sha256').update(`${manifest}${lock}`).digest('hex').slice(0, 12)
  const inCache = `${set}-${digest}`
  const names = Object.keys(dependencies)
  const links = await Promise.all(names.map(name => isLinked(name, inCache)))
  if (links.every(isRight => isRight)) return
  const modules = await fromCache(inCache, 'node_modules', work => install(set, source, work)).catch(
    cause => {
      const what = `${sets[set].purpose} cannot be installed: ${cause.message}.`
      const error = new NoPackages(`${what} ${advice}`)
      // The message says it all, and Vitest would print a page of traces.
      error.stack = error.message
      throw error
    },
  )
  for (const name of names) await link(name, join(modules, name))
}

/** Returns whether a package is linked to this version of its set. */
async function isLinked(name: string, inCache: string): Promise<boolean> {
  const path = join(root, 'node_modules', name)
  try {
    return (
      (await readlink(path)).endsWith(join('/', inCache, 'node_modules', name)) &&
      (await stat(path)).isDirectory()
    )
  } catch {
    return false
  }
}

/** Replaces what is in `node_modules`. Another process may do the same at the same time. */
async function link(name: string, target: string): Promise<void> {
  const path = join(root, 'node_modules', name)
  const aside = `${path}-${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, aside)
  try {
    await rename(aside, path)
  } catch {
    // A folder, from when npm ci installed this package. Another process may have replaced it meanwhile.
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
    await rename(aside, path)
  }
}

/** Installs a set into an empty folder, and returns it. */
async function install(set: PackageSet, source: string, work: string): Promise<string> {
  const { purpose, megabytes } = sets[set]
  const start = performance.now()
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  say(`${purpose} is installed once: ${megabytes} MB into ${dirname(work)}.`)
  await cp(source, work, { recursive: true })
  // Ctrl-C ends npm, and this process only after it has removed the incomplete folder.
  const waitForNpm = () => undefined
  process.on('SIGINT', waitForNpm)
  try {
    // On a terminal, npm shows its progress and its errors.
    const stderr = process.stderr.isTTY ? 'inherit' : 'pipe'
    const npm = spawn('npm', ['ci', '--prefix', work], { cwd: work, stdio: ['ignore', 'ignore', stderr] })
    const end = () => npm.kill()
    process.once('exit', end)
    const [[status, signal], errors] = await Promise.all([
      once(npm, 'close'),
      npm.stderr === null ? '' : text(npm.stderr),
    ])
    process.off('exit', end)
    if (status !== 0) throw new Error(reasonIn(errors) ?? `npm ended with ${signal ?? status}`)
  } finally {
    process.off('SIGINT', waitForNpm)
  }
  say(`It took ${Math.round((performance.now() - start) / 1000)} s.`)
  return work
}

/** Returns the first line of npm's errors that says more than a code. */
function reasonIn(errors: string): string | undefined {
  const lines = errors.split('\n').map(line => line.replace(/^npm (error|ERR!) ?/, '').trim())
  return lines.find(line => line !== '' && !/^(code|errno|syscall|path) /.test(line))
}

/** Provides the sets that the arguments name. */
async function main(): Promise<void> {
  const names = process.argv.slice(2)
  const isSet = (name: string): name is PackageSet => Object.hasOwn(sets, name)
  try {
    for (const name of names) {
      if (!isSet(name)) throw new NoPackages(`${name} is none of ${Object.keys(sets).join(', ')}.`)
      await providePackages(name)
    }
  } catch (error) {
    if (!(error instanceof NoPackages)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
