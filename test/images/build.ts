import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../tools/bundle.ts'
import { debianProgram } from '../support/debian-program.ts'
import type { Unpacked } from './container.ts'

/** What all builds are given. The image format of OCI has no health check. */
const flags = '--format docker --pull-never --isolation chroot --network host'.split(' ')

/** Runs a program. Returns its output, and rejects with what it said. */
const run = async (program: string, args: readonly string[]) =>
  (await promisify(execFile)(program, args, { maxBuffer: 16 * 1024 * 1024 })).stdout.trim()

/** Returns buildah with a storage of its own in a folder, so that no image of the machine is used or changed. */
async function openBuildah(folder: string): Promise<(...args: readonly string[]) => Promise<string>> {
  const program = await debianProgram('buildah')
  const storage = ['--storage-driver=vfs', `--root=${folder}/root`, `--runroot=${folder}/run`]
  return (...args) => run(program, [...storage, ...args])
}

/** Starts a base: copies programs of this machine to paths of it, and the libraries that they need to where they are here. */
async function addPrograms(base: string, programs: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(base, 'etc'), { recursive: true })
  await writeFile(join(base, 'etc/passwd'), 'root:x:0:0::/root:/\nnonroot:x:65532:65532::/home/nonroot:/\n')
  for (const [path, program] of Object.entries(programs)) {
    const libraries = (await run('ldd', [program])).matchAll(/(\/\S+) \(0x/g)
    await run('cp', ['--parents', '--dereference', ...[...libraries].map(([, file = '']) => file), base])
    await run('install', ['-D', program, join(base, path)])
  }
}

/** Makes the base of the build stage, in place of node:24-slim: Node, npm, and what its scripts need. Returns its settings. */
async function addBuildTools(base: string): Promise<string> {
  const programs = { 'bin/sh': '/bin/sh', 'usr/bin/env': '/usr/bin/env' }
  await addPrograms(base, { ...programs, 'usr/local/bin/node': process.execPath })
  const npm = join(await run('npm', ['root', '--global']), 'npm')
  await cp(npm, join(base, 'usr/local/lib/npm'), { recursive: true })
  await symlink('../lib/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'))
  await mkdir(join(base, 'tmp'))
  const settings = `ENV HOME=/root PATH=/usr/local/bin:/usr/bin:/bin
ENV npm_config_prefer_offline=true npm_config_registry=${await run('npm', ['config', 'get', 'registry'])}`
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  if (!certificates) return settings
  await copyFile(certificates, join(base, 'etc/machine.pem'))
  return `${settings} NODE_EXTRA_CA_CERTS=/etc/machine.pem`
}

/** The images that the targets give, and what a COPY of a whole folder takes. */
export type Images = Awaited<ReturnType<typeof buildImages>>

/**
 * Builds the targets of a copy of the Dockerfile whose FROM lines name bases made here.
 * @param work an empty folder
 */
export async function buildImages(work: string) {
  const buildah = await openBuildah(work)
  // Nothing is fetched, so there are no signatures to check. Without the file, buildah refuses to start.
  const trust = ['--signature-policy', join(work, 'policy.json')]
  await writeFile(join(work, 'policy.json'), '{"default": [{"type": "insecureAcceptAnything"}]}')
  /** Builds an image from the text of a Dockerfile. */
  async function build(text: string, tag: string, context: string, ...rest: readonly string[]) {
    await writeFile(join(work, 'Dockerfile'), text)
    await buildah('build', ...trust, ...flags, ...rest, `--file=${work}/Dockerfile`, '--tag', tag, context)
  }
  async function unpack(tag: string): Promise<Unpacked> {
    const image = await buildah('mount', await buildah('from', ...trust, '--pull-never', `localhost/${tag}`))
    const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', `localhost/${tag}`))
    const files = await run('find', [image, '!', '-type', 'd', '-printf', '%P\\n'])
    return { root: image, config: Docker.config, files: files.split('\n').sort() }
  }

  // In place of distroless: Node. It has no shell, so a RUN in the last stages fails.
  await addPrograms(join(work, 'base'), { 'nodejs/bin/node': process.execPath })
  const settings = { base: '', tools: await addBuildTools(join(work, 'tools')) }
  // The tests also run where new files are private (umask).
  for (const [name, lines] of Object.entries(settings))
    await build(`FROM scratch\nCOPY --chmod=755 . /\n${lines}\n`, name, join(work, name))
  const text = (await readFile(join(root, 'Dockerfile'), 'utf8'))
    .replaceAll(/^FROM gcr\.io\/\S+:nonroot/gm, 'FROM localhost/base')
    .replaceAll(/^FROM .*\bnode:\S+/gm, 'FROM localhost/tools')
  const cache = await run('npm', ['config', 'get', 'cache'])
  await mkdir(cache, { recursive: true })
  await build(text, 'built', root, '--target', 'build', '--volume', `${cache}:/root/.npm`)
  // One installation is enough for all targets.
  const stage = /^FROM \S+ AS build\n[\s\S]*?\n(?=#.*\nFROM|FROM)/m
  const quick = text.replace(stage, 'FROM localhost/built AS build\n')
  const before = new Set((await unpack('base')).files)
  async function target(name: string): Promise<Unpacked> {
    await build(quick, name, root, '--target', name)
    const image = await unpack(name)
    return { ...image, files: image.files.filter(file => !before.has(file)) }
  }
  return {
    homeport: await target('homeport'),
    'sign-in': await target('sign-in'),
    push: await target('push'),
    async copyAll(context: string) {
      await build('FROM scratch\nCOPY . /\n', 'all', context)
      return (await unpack('all')).files
    },
  }
}
