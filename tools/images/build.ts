import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../bundle.ts'
import { debianProgram, librariesOf } from '../debian.ts'
import { nodeVersion, type Package, writeBase } from './base.ts'
import { type Buildah, openBuildah } from './buildah.ts'
import { type Architecture, architectures, type Image, images, userId } from './images.ts'
import { type Component, sbomOf } from './sbom.ts'

const node = '/usr/bin/node'
const home = '/opt/homeport'

/** An image that was built, in buildah's storage. */
export interface Built {
  readonly image: Image
  /** The files of `/` by architecture, as folders. */
  readonly roots: Readonly<Partial<Record<Architecture, string>>>
  readonly sbom: string
  /** Where the platforms are a list: its name in the storage. */
  readonly list: string
}

/** Images in a storage of their own, which `close` removes. */
export interface Workshop {
  readonly buildah: Buildah
  readonly built: readonly Built[]
  /** Writes all platforms of an image, compressed, to a folder for `skopeo copy dir:`. Returns their digest. */
  export(list: string, folder: string): Promise<string>
  close(): Promise<void>
}

/**
 * Returns the Containerfile of an image. It runs no program, so that every architecture can be assembled anywhere.
 * @param release version and commit, as labels
 */
function containerfileOf(image: Image, release: { version: string; commit: string }): string {
  const { name, title, port, health } = image
  const text = JSON.stringify
  const labels = {
    title,
    version: release.version,
    revision: release.commit,
    licenses: 'MIT',
    source: 'https://github.com/OWNER/homeport',
  }
  return [
    'ARG BASE',
    `FROM \${BASE}`,
    `COPY ${name}/ ${home}/`,
    `USER ${userId}:${userId}`,
    ...Object.entries(image.environment).map(([key, value]) => `ENV ${key}=${text(value)}`),
    ...Object.entries(labels).map(([key, value]) => `LABEL org.opencontainers.image.${key}=${text(value)}`),
    ...(port === null ? [] : [`EXPOSE ${port}`]),
    `HEALTHCHECK --interval=30s --timeout=15s --start-period=10s CMD ${text([node, '--eval', health])}`,
    `ENTRYPOINT ${text([node, `${home}/${basename(image.program)}`])}`,
    `CMD ${text(image.arguments)}`,
    '',
  ].join('\n')
}

/**
 * Builds images for these architectures from what `npm run build` wrote.
 * @throws Error if Debian's packages, Node or buildah cannot be fetched, or buildah fails
 */
export async function buildImages(
  wanted: readonly Architecture[],
  chosen: readonly Image[] = images,
): Promise<Workshop> {
  const work = await mkdtemp(join(tmpdir(), 'homeport-images-'))
  const close = () => rm(work, { recursive: true, force: true })
  try {
    const buildah = await openBuildah(join(work, 'storage'))
    const release = await releaseOf()
    /** Layers and dates that are not in the files would differ from build to build. */
    async function build(context: string, containerfile: string, flags: readonly string[]): Promise<void> {
      await writeFile(join(context, 'Containerfile'), containerfile)
      const always = [
        '--format',
        'docker',
        '--no-cache',
        '--pull-never',
        '--timestamp',
        String(release.seconds),
      ]
      await buildah(['build', ...always, ...flags, context])
    }
    const bases = new Map<Architecture, readonly Package[]>()
    for (const architecture of wanted) {
      const folder = join(work, architecture, 'root')
      await mkdir(folder, { recursive: true })
      bases.set(architecture, await writeBase(architecture, folder))
      await openToAll(folder)
      await build(join(work, architecture), 'FROM scratch\nCOPY root/ /\n', [
        ...['--platform', `linux/${architecture}`],
        ...['--tag', baseName(architecture)],
      ])
    }
    const built: Built[] = []
    for (const image of chosen) {
      const list = `${image.name}:${release.version}`
      await buildah(['manifest', 'create', list])
      for (const architecture of wanted) {
        const context = join(work, architecture)
        await writeBundle(image, join(context, image.name))
        await openToAll(join(context, image.name))
        await build(context, containerfileOf(image, release), [
          ...[
            '--platform',
            `linux/${architecture}`,
            '--build-arg',
            `BASE=localhost/${baseName(architecture)}`,
          ],
          ...['--tag', `${image.name}:${architecture}`, '--manifest', list],
        ])
      }
      const created = new Date(release.seconds * 1000).toISOString().replace('.000Z', 'Z')
      const components = await componentsOf(image, [...bases.values()].flat())
      built.push({
        image,
        list,
        roots: Object.fromEntries(wanted.map(name => [name, join(work, name, 'root')])),
        sbom: sbomOf({ name: image.name, version: release.version }, components, created),
      })
    }
    return { buildah, built, export: (list, folder) => exportImage(buildah, list, folder), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Lets the image's user read what was written here, where new files can be private (umask). */
async function openToAll(folder: string): Promise<void> {
  await promisify(execFile)('chmod', ['-R', 'a+rX', folder])
}

const baseName = (architecture: Architecture) => `homeport-base:${architecture}`

/** Returns the version, and the commit with its time in seconds since 1970. The same commit and packages give the same image. */
async function releaseOf(): Promise<{ version: string; commit: string; seconds: number }> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%H %ct'], { cwd: root })
  const [commit = '', seconds] = stdout.trim().split(' ')
  return { version, commit, seconds: Number(seconds) }
}

/** Buildah 1.28 compresses for registries only, so skopeo does it. Registries then get these bytes, with the digest of the list. */
async function exportImage(buildah: Buildah, list: string, folder: string): Promise<string> {
  const plain = `${folder}.plain`
  await buildah(['manifest', 'push', '--all', '--format', 'v2s2', list, `dir:${plain}`])
  const program = await debianProgram('skopeo')
  const env = { ...process.env, LD_LIBRARY_PATH: await librariesOf(program) }
  const copy = ['--insecure-policy', 'copy', '--all', '--dest-compress', `dir:${plain}`, `dir:${folder}`]
  await promisify(execFile)(program, copy, { env })
  await rm(plain, { recursive: true })
  const manifest = await readFile(join(folder, 'manifest.json'))
  return `sha256:${createHash('sha256').update(manifest).digest('hex')}`
}

async function writeBundle(image: Image, folder: string): Promise<void> {
  await mkdir(folder)
  for (const file of [image.program, ...image.files]) await copyFile(file, join(folder, basename(file)))
  await copyFile(image.licenses, join(folder, 'licenses.txt'))
}

/** Returns what is in an image: Debian's packages, Node, and the packages of the bundle, which its licences name. */
async function componentsOf(image: Image, packages: readonly Package[]): Promise<readonly Component[]> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages
  const licenses = await readFile(image.licenses, 'utf8')
  const names = [...licenses.matchAll(/^(\S+)$/gm)].map(([name]) => name)
  const bundled = names.flatMap(name => {
    const version: unknown = lock[`node_modules/${name}`]?.version
    return typeof version === 'string' ? [{ name, version, purl: `pkg:npm/${name}@${version}` }] : []
  })
  const version = await nodeVersion()
  return [
    ...packages.map(({ name, version, architecture }) => ({
      name,
      version,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
    })),
    { name: 'node', version, purl: `pkg:generic/node@${version}` },
    ...bundled,
  ]
}

/** All architectures, as the release offers them. */
export const allArchitectures = Object.keys(architectures) as readonly Architecture[]
