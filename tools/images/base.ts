import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../bundle.ts'
import { fromCache } from '../cache.ts'
import { debianProgram } from '../debian.ts'
import { threeTimes } from '../three-times.ts'
import { type Architecture, architectures, userId } from './images.ts'

const run = promisify(execFile)
const fetchTimeoutMs = 120_000

/** Debian's release, as in `.ci/bare-debian`. */
const suite = 'bookworm'

/** A package whose files are in the image. */
export interface Package {
  readonly name: string
  readonly version: string
  readonly architecture: string
}

/** Returns the files that an image takes from each of Debian's packages, as patterns. Nothing else of them gets in. */
function filesOf(architecture: Architecture): Readonly<Record<string, readonly string[]>> {
  const { triplet, loader } = architectures[architecture]
  const libraries = [
    'libc.so.6',
    'libdl.so.2',
    'libm.so.6',
    'libpthread.so.0',
    'librt.so.1',
    basename(loader),
  ]
  return {
    'base-files': ['usr/lib/os-release', 'etc/os-release', 'etc/debian_version', copyright('base-files')],
    libc6: [loader, ...libraries.map(name => `lib/${triplet}/${name}`), copyright('libc6')],
    'libgcc-s1': [`lib/${triplet}/libgcc_s.so.1`, 'usr/share/doc/libgcc-s1'],
    // A link, and the file with the version in its name.
    'libstdc++6': [`usr/lib/${triplet}/libstdc++.so.6*`, 'usr/share/doc/libstdc++6'],
    'gcc-12-base': [copyright('gcc-12-base')],
  }
}

const copyright = (name: string) => `usr/share/doc/${name}/copyright`

/**
 * Writes what all images of an architecture have in common: Debian's C and C++ libraries, Node, and a user. No program of
 * the packages is run, so every architecture can be made on any machine.
 * @param folder an empty folder, which becomes `/` of the image
 * @throws Error if a package lacks a file that is needed, or cannot be fetched
 */
export async function writeBase(architecture: Architecture, folder: string): Promise<readonly Package[]> {
  const work = await mkdtemp(join(tmpdir(), 'homeport-debian-'))
  try {
    const archives = await threeTimes(() => fetchPackages(architecture, work))
    const packages: Package[] = []
    for (const [name, files] of Object.entries(filesOf(architecture))) {
      const archive = archives.find(file => file.startsWith(`${name}_`))
      if (archive === undefined) throw new Error(`Debian's packages lack ${name}.`)
      packages.push(await unpack(join(work, archive), files, folder))
    }
    await addNode(architecture, folder)
    await addUser(folder)
    return packages
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Fetches Debian's packages, with signatures checked and security updates, into a folder. Returns their files. */
async function fetchPackages(architecture: Architecture, folder: string): Promise<readonly string[]> {
  const names = Object.keys(filesOf(architecture)).join(',')
  const flags = ['--quiet', '--variant=extract', `--architectures=${architecture}`, `--include=${names}`]
  // The hook runs before the packages are removed. What is extracted goes to /dev/null.
  const hook = `--extract-hook=cp "$1"/var/cache/apt/archives/*.deb '${folder}'`
  await run(await debianProgram('mmdebstrap'), [...flags, hook, suite, '/dev/null'], {
    timeout: fetchTimeoutMs,
  })
  return (await readdir(folder)).filter(file => file.endsWith('.deb'))
}

/** Unpacks files of a package, and keeps its description where scanners look for it. */
async function unpack(archive: string, patterns: readonly string[], folder: string): Promise<Package> {
  const all = `${archive}.unpacked`
  await run('dpkg-deb', ['--extract', archive, all])
  for (const pattern of patterns) {
    const files = globSync(pattern, { cwd: all })
    if (files.length === 0) throw new Error(`${basename(archive)} has no ${pattern}.`)
    await run('cp', ['--archive', '--parents', '--target-directory', folder, ...files], { cwd: all })
  }
  const { stdout: control } = await run('dpkg-deb', ['--field', archive])
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(control)?.[1] ?? ''
  const descriptions = join(folder, 'var/lib/dpkg/status.d')
  await mkdir(descriptions, { recursive: true })
  await writeFile(join(descriptions, field('Package')), control)
  return { name: field('Package'), version: field('Version'), architecture: field('Architecture') }
}

/** The version of Node that this project runs on, from the lockfile. */
export async function nodeVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, 'node_modules/node/package.json'), 'utf8'))
  return version
}

/** Adds Node and its licence, from the package that `npm ci` takes it from. */
async function addNode(architecture: Architecture, folder: string): Promise<void> {
  const name = architectures[architecture].node
  const version = await nodeVersion()
  const program = await threeTimes(() =>
    fromCache(`${name}-${version}`, 'bin/node', async work => {
      const pack = ['pack', `${name}@${version}`, '--pack-destination', work]
      await run('npm', pack, { cwd: root, timeout: fetchTimeoutMs })
      await run('tar', ['--extract', '--file', `${name}-${version}.tgz`], { cwd: work })
      return join(work, 'package')
    }),
  )
  await mkdir(join(folder, 'usr/bin'), { recursive: true })
  await mkdir(join(folder, 'usr/share/doc/node'))
  await copyFile(program, join(folder, 'usr/bin/node'))
  await copyFile(join(program, '../../LICENSE'), join(folder, 'usr/share/doc/node/copyright'))
}

/** Names the user that the images run as, for programs that look it up. */
async function addUser(folder: string): Promise<void> {
  await writeFile(join(folder, 'etc/passwd'), `homeport:x:${userId}:${userId}::/nonexistent:/nonexistent\n`)
  await writeFile(join(folder, 'etc/group'), `homeport:x:${userId}:\n`)
}
