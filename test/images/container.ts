import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Says why no container can be built and run here, or nothing. */
export const whyNoContainers = problem()

function problem(): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return ' (only root of a Linux can build and run them)'
  const namespaces = ['--net', '--mount', '--pid', '--fork', 'mount', '--bind', '/', '/']
  return spawnSync('unshare', namespaces).status === 0 ? '' : ' (unshare --mount is not permitted here)'
}

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
  /** Those that it adds to its base, without the first slash. */
  readonly files: readonly string[]
}

/** How a container differs from what its image says. */
export interface ContainerOptions {
  /** Replaces CMD. */
  readonly args?: readonly string[]
  /** Replaces ENTRYPOINT and CMD. */
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files of /run/secrets. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Starts it as the child of a first process that passes signals on, as `docker run --init` does. */
  readonly init?: boolean
}

export interface Container {
  /** Everything that it has written so far. */
  output(): string
  /** Resolves once it has written what this matches. */
  wrote(text: RegExp): Promise<void>
  /** Sends a signal to its first process, as `docker stop` does. */
  signal(name: NodeJS.Signals): Promise<void>
  /** Runs a command beside its first process, as `docker exec` does. Returns the exit status. */
  run(command: readonly string[]): Promise<number | null>
  /** The exit status, or 128 and the number of the signal. */
  readonly ended: Promise<number>
}

/**
 * Does what a runtime of containers does with `--read-only --cap-drop ALL --security-opt no-new-privileges`: namespaces for
 * processes and mounts, mounts of `/proc`, `/dev` and secrets, the image's user. The network is the host's.
 */
const script = `set -e
root=$1 secrets=$2 user=$3 init=$4; shift 4
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$secrets" "$root/run/secrets"
mount -o remount,ro,bind "$root/run/secrets"
mount -o remount,ro,bind "$root"
set -- setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"
[ "$init" = true ] || exec "$@"
trap 'kill -TERM "$child"' TERM
"$@" & child=$!
wait || wait "$child"`

/** Starts a container whose root is read-only. */
export async function startContainer(
  { root, config }: Unpacked,
  { args, command, env = {}, secrets = {}, init = false }: ContainerOptions = {},
): Promise<Container> {
  const work = await mkdtemp(join(tmpdir(), 'homeport-container-'))
  for (const [name, text] of Object.entries(secrets)) await writeFile(join(work, name), text)
  for (const folder of ['proc', 'dev', 'run/secrets']) await mkdir(join(root, folder), { recursive: true })
  // As Docker mounts them, even where new files are private (umask).
  await promisify(execFile)('chmod', ['-R', 'a+rX', work, join(root, 'run')])
  const ownEnv = Object.fromEntries(config.Env.map(line => line.split(/=(.*)/s).slice(0, 2)))
  const process = command ?? [...config.Entrypoint, ...(args ?? config.Cmd ?? [])]
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh']
  const child = spawn('unshare', [...unshare, root, work, config.User, String(init), ...process], {
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
          if (text.test(output)) resolve()
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
      const enter = ['--target', await firstProcess(), '--mount', '--pid']
      const user = ['chroot', `--userspec=${config.User}`, '--groups=', root]
      const inside = spawn('nsenter', [...enter, ...user, ...beside])
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
