import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type ProxyName = 'nginx' | 'caddy'

/** Where Debian's packages have the programs. */
const places: Readonly<Record<ProxyName, string>> = { nginx: 'usr/sbin/nginx', caddy: 'usr/bin/caddy' }

const downloadTimeoutMs = 120_000

/** Says that a proxy could neither be found nor fetched, and what to do. */
export class NoProxy extends Error {
  override readonly name = 'NoProxy'
}

/**
 * Returns the path of a proxy: the installed one, else Debian's package, unpacked into the cache without root.
 * @throws NoProxy
 */
export async function proxyProgram(name: ProxyName): Promise<string> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  for (const folder of folders) {
    const file = join(folder, name)
    if (folder !== '' && (await isExecutable(file))) return file
  }
  const { XDG_CACHE_HOME, HOME } = process.env
  const cache = join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'homeport')
  const target = join(cache, `debian-${name}`)
  const program = join(target, places[name])
  if (await isExecutable(program)) return program
  try {
    await mkdir(cache, { recursive: true })
    await fetchPackage(name, cache, target)
  } catch (cause) {
    const reason = (cause as Error).message.trim().split('\n').at(-1)
    throw new NoProxy(`${name} is not installed, and apt-get cannot fetch it (${reason}). Install ${name}.`, {
      cause,
    })
  }
  return program
}

/** Unpacks a package beside its place, so that nobody sees half of one. */
async function fetchPackage(name: ProxyName, cache: string, target: string): Promise<void> {
  const work = await mkdtemp(join(cache, `${name}-`))
  try {
    const download = () => run('apt-get', ['download', name], { cwd: work, timeout: downloadTimeoutMs })
    // A new machine has no list of packages, and only root can fetch one.
    await download().catch(async () => {
      await run('apt-get', ['update', '--quiet'], { timeout: downloadTimeoutMs })
      await download()
    })
    const [archive] = (await readdir(work)).filter(file => file.endsWith('.deb'))
    if (!archive) throw new Error('no package came')
    await run('dpkg', ['-x', archive, 'unpacked'], { cwd: work })
    await rename(join(work, 'unpacked'), target).catch(async error => {
      // Another run may have put it there first.
      if (!(await isExecutable(join(target, places[name])))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
