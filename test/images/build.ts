import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../tools/bundle.ts'
import { debianProgram, librariesOf } from '../../tools/debian.ts'
import type { Unpacked } from './container.ts'

/** Runs buildah with these arguments. Returns its output, and rejects with what it said. */
type Buildah = (...args: readonly string[]) => Promise<string>

const run = async (program: string, args: readonly string[]) =>
  (await promisify(execFile)(program, args)).stdout.trim()

/** Returns buildah with a storage of its own in a folder, so that no image of the machine is used or changed. */
async function openBuildah(folder: string): Promise<Buildah> {
  const program = await debianProgram('buildah')
  // Nothing is fetched, so there are no signatures to check. Without the file, buildah refuses to start.
  const policy = join(folder, 'policy.json')
  await writeFile(policy, '{"default": [{"type": "insecureAcceptAnything"}]}')
  const storage = [
    '--storage-driver',
    'vfs',
    '--root',
    join(folder, 'root'),
    '--runroot',
    join(folder, 'run'),
  ]
  // Buildah starts itself again to RUN something, without LD_LIBRARY_PATH.
  const [libraries, linkerCache] = [await librariesOf(program), join(folder, 'ld.so.cache')]
  await writeFile(join(folder, 'ld.so.conf'), `${libraries.replaceAll(':', '\n')}\n`)
  await run('/sbin/ldconfig', ['-X', '-f', join(folder, 'ld.so.conf'), '-C', linkerCache])
  const script = 'mount --bind "$0" /etc/ld.so.cache && exec "$@"'
  return async (command = '', ...args) => {
    const flags = ['build', 'from'].includes(command) ? ['--signature-policy', policy] : []
    const all = ['--mount', 'sh', '-c', script, linkerCache, program, ...storage, command, ...flags, ...args]
    const { stdout } = await promisify(execFile)('unshare', all, { maxBuffer: 16 * 1024 * 1024 })
    return stdout.trim()
  }
}

/** Copies a program of this machine to a path of an image, and the libraries that it needs to where they are here. */
async function addProgram(image: string, program: string, path: string): Promise<void> {
  const libraries = (await run('ldd', [program])).matchAll(/(\/\S+) \(0x/g)
  for (const [from, to] of [[program, path], ...[...libraries].map(([, file = '']) => [file, file])]) {
    await mkdir(dirname(join(image, to ?? '')), { recursive: true })
    await copyFile(from ?? '', join(image, to ?? ''))
  }
}

/** Makes the base of the last stages, in place of distroless: Node and its user. It has no shell, so a RUN fails. */
async function addNode(base: string): Promise<void> {
  await addProgram(base, process.execPath, '/nodejs/bin/node')
  await mkdir(join(base, 'etc'))
  await writeFile(join(base, 'etc/passwd'), 'nonroot:x:65532:65532::/home/nonroot:/sbin/nologin\n')
}

/** Makes the base of the build stage, in place of node:24-slim: Node, npm, what its scripts need, and how npm reaches its registry. */
async function addBuildTools(base: string): Promise<void> {
  await addProgram(base, process.execPath, '/usr/local/bin/node')
  await addProgram(base, '/bin/sh', '/bin/sh')
  await addProgram(base, '/usr/bin/env', '/usr/bin/env')
  await cp(join(await run('npm', ['root', '--global']), 'npm'), join(base, 'usr/local/lib/npm'), {
    recursive: true,
  })
  const npm = '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n'
  await writeFile(join(base, 'usr/local/bin/npm'), npm, { mode: 0o755 })
  for (const folder of ['etc', 'root/.npm', 'tmp']) await mkdir(join(base, folder), { recursive: true })
  await writeFile(join(base, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
  const configuration = await readFile(await run('npm', ['config', 'get', 'userconfig']), 'utf8').catch(
    () => '',
  )
  const registry = `registry=${await run('npm', ['config', 'get', 'registry'])}\nprefer-offline=true\n`
  await writeFile(
    join(base, 'root/.npmrc'),
    `${configuration.replaceAll(/^(cafile|registry)=.*/gm, '')}\n${registry}`,
  )
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  if (certificates) await copyFile(certificates, join(base, 'etc/machine.pem'))
}

/** The images that the targets give, and what a COPY of a whole folder takes. */
export type Images = Readonly<Record<'homeport' | 'sign-in' | 'push', Unpacked>> & {
  readonly copyAll: (context: string) => Promise<readonly string[]>
}

/** Returns every file below a folder. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => !entry.isDirectory())
  return files.map(entry => relative(folder, join(entry.parentPath, entry.name))).sort()
}

/**
 * Builds the targets of a copy of the Dockerfile whose FROM lines name bases made here.
 * @param work an empty folder
 */
export async function buildImages(work: string): Promise<Images> {
  const buildah = await openBuildah(work)
  /** Builds an image from the text of a Dockerfile. */
  async function build(
    text: string,
    tag: string,
    context: string,
    ...rest: readonly string[]
  ): Promise<void> {
    const file = join(work, 'Dockerfile')
    await writeFile(file, text)
    // The image format of OCI has no health check.
    const flags = [
      '--format',
      'docker',
      '--pull-never',
      '--isolation',
      'chroot',
      '--network',
      'host',
      ...rest,
    ]
    await buildah('build', ...flags, '--file', file, '--tag', tag, context)
  }
  async function unpack(tag: string): Promise<Unpacked> {
    const image = await buildah('mount', await buildah('from', '--pull-never', `localhost/${tag}`))
    const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', `localhost/${tag}`))
    return { root: image, config: Docker.config, files: await filesBelow(image) }
  }

  const proxies = Object.entries(process.env).filter(([name]) => /^(https?_proxy|no_proxy)$/i.test(name))
  const env = [['HOME', '/root'], ['PATH', '/usr/local/bin:/usr/bin:/bin'], ...proxies]
  if (process.env['NODE_EXTRA_CA_CERTS']) env.push(['NODE_EXTRA_CA_CERTS', '/etc/machine.pem'])
  const settings = env.map(([name, value]) => `ENV ${name}=${JSON.stringify(value)}\n`).join('')
  const bases = [
    { name: 'base', add: addNode, lines: 'USER 65532\nENTRYPOINT ["/nodejs/bin/node"]\n' },
    { name: 'tools', add: addBuildTools, lines: settings },
  ]
  for (const { name, add, lines } of bases) {
    const files = join(work, name, 'files')
    await mkdir(files, { recursive: true })
    await add(files)
    // The tests also run where new files are private (umask).
    await run('chmod', ['-R', 'a+rX', files])
    await build(`FROM scratch\nCOPY files/ /\n${lines}`, name, join(work, name))
  }
  const text = (await readFile(join(root, 'Dockerfile'), 'utf8'))
    .replaceAll(/^FROM gcr\.io\/\S+:nonroot/gm, 'FROM localhost/base')
    .replaceAll(/^FROM .*\bnode:\S+/gm, 'FROM localhost/tools')
  const cache = await run('npm', ['config', 'get', 'cache'])
  await mkdir(cache, { recursive: true })
  await build(text, 'built', root, '--target', 'build', '--volume', `${cache}:/root/.npm`)
  // One installation is enough for all targets.
  const quick = text.replace(
    /^FROM \S+ AS build\n[\s\S]*?\n(?=#.*\nFROM|FROM)/m,
    'FROM localhost/built AS build\n',
  )
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
    async copyAll(context) {
      await build('FROM scratch\nCOPY . /\n', 'all', context)
      return (await unpack('all')).files
    },
  }
}
