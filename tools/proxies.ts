import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { fromCache } from './cache.ts'
import { findProgram } from './find-program.ts'

const run = promisify(execFile)

export type ProxyName = 'nginx' | 'caddy' | 'pgbouncer'

/** Where Debian's packages install the programs. */
const places: Readonly<Record<ProxyName, string>> = {
  nginx: 'usr/sbin/nginx',
  caddy: 'usr/bin/caddy',
  pgbouncer: 'usr/sbin/pgbouncer',
}

/** Libraries of PgBouncer that few machines have. Their packages' names change with Debian's releases. */
const rareLibraries = /\b(?:libevent|libc-ares)[\w.+-]*/g

const downloadTimeoutMs = 120_000

/** A proxy could be neither found nor fetched. The message says what to do. */
export class NoProxy extends Error {
  override readonly name = 'NoProxy'
}

/**
 * Returns the path of a proxy: the installed one, else Debian's package, unpacked into the cache without root.
 * @throws NoProxy
 */
export async function proxyProgram(name: ProxyName): Promise<string> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  const installed = await findProgram(name, folders)
  if (installed !== undefined) return installed
  try {
    return await fromCache(`debian-${name}`, places[name], work => unpackPackage(name, work))
  } catch (cause) {
    const reason = (cause as Error).message.trim().split('\n').at(-1)
    throw new NoProxy(`${name} is not installed, and apt-get cannot fetch it (${reason}). Install ${name}.`, {
      cause,
    })
  }
}

/** Fetches and unpacks a package and its rare libraries. Returns the folder of their files. */
async function unpackPackage(name: ProxyName, work: string): Promise<string> {
  const download = () => run('apt-get', ['download', name], { cwd: work, timeout: downloadTimeoutMs })
  // A new machine has no list of packages, and only root can fetch one.
  await download().catch(async () => {
    await run('apt-get', ['update', '--quiet'], { timeout: downloadTimeoutMs })
    await download()
  })
  const archives = async () => (await readdir(work)).filter(file => file.endsWith('.deb'))
  const [archive] = await archives()
  if (!archive) throw new Error('apt-get downloaded no package')
  const { stdout: needed } = await run('dpkg-deb', ['--field', archive, 'Depends'], { cwd: work })
  const libraries = needed.match(rareLibraries) ?? []
  if (libraries.length > 0) {
    await run('apt-get', ['download', ...libraries], { cwd: work, timeout: downloadTimeoutMs })
  }
  for (const file of await archives()) await run('dpkg', ['-x', file, 'unpacked'], { cwd: work })
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
