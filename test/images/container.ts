import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Buildah } from '../../tools/images/buildah.ts'

/** What an image says about its process, as Docker keeps it. */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[] | null
  readonly ExposedPorts?: Readonly<Record<string, object>>
  readonly Healthcheck?: { readonly Test: readonly string[] }
}

/** An image of this machine's architecture, with its files in a folder. */
export interface Unpacked {
  readonly root: string
  readonly config: ImageConfig
}

/** How a container differs from what its image says. */
export interface ContainerOptions {
  /** Replaces CMD. */
  readonly args?: readonly string[]
  /** Replaces ENTRYPOINT and CMD. */
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files of /run/secrets, or other files of the host by their path in the container. */
  readonly secrets?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
}

export interface Container {
  /** Everything that it has written so far. */
  output(): string
  /** Resolves once it has written this text. */
  wrote(text: string): Promise<void>
  /** Sends a signal to its first process, as `docker stop` does. */
  signal(name: NodeJS.Signals): Promise<void>
  /** Runs a command beside its first process, as `docker exec` does. Returns the exit status. */
  run(command: readonly string[]): Promise<number | null>
  /** The exit status, or 128 and the number of the signal. */
  readonly ended: Promise<number>
}

/** Unpacks an image from the storage. */
export async function unpack(buildah: Buildah, name: string): Promise<Unpacked> {
  const container = await buildah(['from', '--pull-never', `localhost/${name}`])
  const root = await buildah(['mount', container])
  const { Docker } = JSON.parse(await buildah(['inspect', '--type', 'image', `localhost/${name}`]))
  return { root, config: Docker.config }
}

/**
 * Does what a runtime of containers does with `--read-only --cap-drop ALL --security-opt no-new-privileges`: namespaces for
 * processes and mounts, mounts of `/proc`, `/dev` and secrets, the image's user. The network is the host's.
 */
const script = `set -e
root=$1 mounts=$2 user=$3; shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
while read -r from to; do
  mount --bind "$from" "$root$to"
  mount -o remount,ro,bind "$root$to"
done < "$mounts"
mount -o remount,ro,bind "$root"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"`

/** Starts a container whose root is read-only. */
export async function startContainer(
  { root, config }: Unpacked,
  { args, command, env = {}, secrets = {}, files = {} }: ContainerOptions = {},
): Promise<Container> {
  const work = await mkdtemp(join(tmpdir(), 'homeport-container-'))
  await mkdir(join(work, 'secrets'))
  for (const [name, text] of Object.entries(secrets)) {
    await writeFile(join(work, 'secrets', name), text, { mode: 0o444 })
  }
  const mounts = { '/run/secrets': join(work, 'secrets') } as Record<string, string>
  for (const folder of ['proc', 'dev', 'run/secrets']) await mkdir(join(root, folder), { recursive: true })
  for (const [to, from] of Object.entries(files)) {
    await writeFile(join(root, to), '')
    mounts[to] = join(work, `file-${Object.keys(mounts).length}`)
    await copyFile(from, mounts[to])
  }
  const lines = Object.entries(mounts).map(([to, from]) => `${from} ${to}\n`)
  await writeFile(join(work, 'mounts'), lines.join(''))
  // As Docker mounts them, even where new files are private (umask).
  await promisify(execFile)('chmod', ['-R', 'a+rX', work, join(root, 'run')])
  const ownEnv = Object.fromEntries(config.Env.map(line => line.split(/=(.*)/s).slice(0, 2)))
  const process = command ?? [...config.Entrypoint, ...(args ?? config.Cmd ?? [])]
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', root]
  const child = spawn('unshare', [...unshare, join(work, 'mounts'), config.User, ...process], {
    env: { ...ownEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      output += chunk
      for (const check of waiting) check()
    })
  }
  const ended = once(child, 'close').then(async ([status]) => {
    await rm(work, { recursive: true, force: true })
    for (const check of waiting) check()
    return status as number
  })
  const firstProcess = async () =>
    (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim()
  return {
    output: () => output,
    wrote: text =>
      new Promise((resolve, reject) => {
        function check() {
          if (output.includes(text)) resolve()
          else if (child.exitCode !== null) reject(new Error(`It ended with ${child.exitCode}:\n${output}`))
          else return
          waiting.delete(check)
        }
        waiting.add(check)
        check()
      }),
    async signal(name) {
      globalThis.process.kill(Number(await firstProcess()), name)
    },
    async run(beside) {
      const enter = ['--target', await firstProcess(), '--mount', '--pid', '--root']
      const [uid = '', gid = ''] = config.User.split(':')
      const inside = spawn('nsenter', [...enter, `--setuid=${uid}`, `--setgid=${gid}`, ...beside])
      const [status] = await once(inside, 'close')
      return status
    },
    ended,
  }
}

/** Runs a container to its end. */
export async function runContainer(unpacked: Unpacked, options: ContainerOptions = {}) {
  const container = await startContainer(unpacked, options)
  return { status: await container.ended, output: container.output() }
}
