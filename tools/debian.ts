import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder, fromCache } from './cache.ts'
import { findProgram, isExecutable } from './find-program.ts'
import { threeTimes } from './three-times.ts'

const run = promisify(execFile)

/** Programs that tests start, with Debian's packages and the places where they install them. */
const programs = {
  nginx: { from: 'nginx', path: 'usr/sbin/nginx' },
  caddy: { from: 'caddy', path: 'usr/bin/caddy' },
  pgbouncer: { from: 'pgbouncer', path: 'usr/sbin/pgbouncer' },
  // Its package only recommends the module for https.
  ddclient: { from: 'ddclient libio-socket-ssl-perl', path: 'usr/bin/ddclient' },
  inadyn: { from: 'inadyn', path: 'usr/sbin/inadyn' },
  curl: { from: 'curl', path: 'usr/bin/curl' },
  buildah: { from: 'buildah', path: 'usr/bin/buildah' },
} as const

export type ProgramName = keyof typeof programs

const downloadTimeoutMs = 120_000

/** A program could be neither found nor fetched. The message says what to do. */
export class NoProgram extends Error {
  override readonly name = 'NoProgram'
}

/** Returns the folder in the cache. Another list of packages has another folder. */
const folderOf = (name: ProgramName) => `debian-${programs[name].from.replaceAll(' ', '+')}`

/** Returns the path of a program that is installed or was fetched earlier. */
export async function findDebianProgram(name: ProgramName): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  const installed = await findProgram(name, folders)
  if (installed !== undefined) return installed
  const fetched = join(await cacheFolder(), folderOf(name), programs[name].path)
  return (await isExecutable(fetched)) ? fetched : undefined
}

/**
 * Returns the path of a program: the installed one, else Debian's package, unpacked into the cache without root.
 * @param pauseMs between two of three attempts to fetch it
 * @throws NoProgram
 */
export async function debianProgram(name: ProgramName, pauseMs?: number): Promise<string> {
  const found = await findDebianProgram(name)
  if (found !== undefined) return found
  const { from, path } = programs[name]
  try {
    return await threeTimes(
      () => fromCache(folderOf(name), path, work => unpackPackages(from.split(' '), work)),
      pauseMs,
    )
  } catch (cause) {
    const reason = (cause as Error).message.trim().split('\n').at(-1)
    throw new NoProgram(
      `${name} is not installed, and apt-get cannot fetch it (${reason}). Install ${from}.`,
      {
        cause,
      },
    )
  }
}

/** Fetches and unpacks packages and what they need that this machine lacks. Returns the folder of their files. */
async function unpackPackages(names: readonly string[], work: string): Promise<string> {
  const apt = async (...args: readonly string[]) =>
    (await run('apt-get', args, { cwd: work, timeout: downloadTimeoutMs })).stdout
  const download = async () => {
    const plan = await apt('install', '--simulate', '--no-install-recommends', ...names)
    // `Inst NAME (VERSION …)`. An upgrade has the present version in brackets first, and is not needed.
    const missing = [...plan.matchAll(/^Inst (\S+) \(/gm)].map(([, missing = '']) => missing)
    await apt('download', ...missing)
  }
  // A new machine has no list of packages, and only root can fetch one.
  await download().catch(async () => {
    await apt('update', '--quiet')
    await download()
  })
  const archives = (await readdir(work)).filter(file => file.endsWith('.deb'))
  if (archives.length === 0) throw new Error('apt-get downloaded no package')
  for (const file of archives) await run('dpkg', ['-x', file, 'unpacked'], { cwd: work })
  return join(work, 'unpacked')
}

/** Returns LD_LIBRARY_PATH for a program: its package's own libraries, if they were unpacked with it. */
export async function librariesOf(program: string): Promise<string> {
  const folder = join(program, '../../lib')
  const names = await readdir(folder).catch(() => [])
  return names
    .filter(name => name.endsWith('-linux-gnu'))
    .map(name => join(folder, name))
    .join(delimiter)
}

/** Returns PERL5LIB for a program: the modules that were unpacked with it. */
export function perlModulesOf(program: string): string {
  const installed = join(program, '../..')
  return globSync(['share/perl5', 'lib/*/perl5/*'], { cwd: installed })
    .map(folder => join(installed, folder))
    .join(delimiter)
}

function isProgramName(name: string): name is ProgramName {
  return Object.hasOwn(programs, name)
}

/** Finds or fetches the programs that the arguments name. Prints the path of each, or why there is none. */
async function main(): Promise<void> {
  for (const name of process.argv.slice(2)) {
    try {
      if (!isProgramName(name)) throw new NoProgram(`${name} is none of ${Object.keys(programs).join(', ')}.`)
      process.stdout.write(`${await debianProgram(name)}\n`)
    } catch (error) {
      if (!(error instanceof NoProgram)) throw error
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 1
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
