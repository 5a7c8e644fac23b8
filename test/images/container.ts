import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../support/program.ts'

const namespaces = ['--net', '--mount', '--pid', '--fork', 'mount', '--bind', '/', '/']
const canRun = process.getuid?.() === 0 && spawnSync('unshare', namespaces).status === 0

/** Says why no container can be built and run here, or nothing. */
export const whyNoContainers = canRun ? '' : ' (only root of a Linux that permits unshare --mount can run it)'

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
  /** Returns everything that it has written so far. */
  output(): string
  /** Sends a signal to its first process, as `docker stop` does. */
  signal(name: NodeJS.Signals): void
  /** Runs a command beside its first process, as `docker exec` does. Returns the exit status. */
  run(command: readonly string[]): number | null
  /** The exit status, or 128 and the number of the signal, and everything that it wrote. */
  readonly ended: Promise<{ readonly status: number; readonly output: string }>
}

/**
 * Does what a runtime of containers does with `--read-only --cap-drop ALL --security-opt no-new-privileges`: namespaces for
 * processes and mounts, mounts of `/proc` and `/dev`, the image's user. The network is the host's.
 */
const script = `set -e
root=$1 user=$2 init=$3; shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,ro,bind "$root"
set -- setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"
[ "$init" = true ] || exec "$@"
trap 'kill -TERM "$child"' TERM
"$@" & child=$!
wait || wait "$child"`

/** Starts a container whose root is read-only. An image has one set of secrets at a time. */
export function startContainer(
  { root, config }: Unpacked,
  { args, command, env = {}, secrets = {}, init = false }: ContainerOptions = {},
): Container {
  rmSync(join(root, 'run'), { recursive: true, force: true })
  for (const folder of ['proc', 'dev', 'run/secrets']) mkdirSync(join(root, folder), { recursive: true })
  for (const [name, text] of Object.entries(secrets)) writeFileSync(join(root, 'run/secrets', name), text)
  // As Docker mounts them, even where new files are private (umask).
  execFileSync('chmod', ['-R', 'a+rX', join(root, 'run')])
  const options = { env: { ...Object.fromEntries(config.Env.map(line => line.split(/=(.*)/s))), ...env } }
  const all = command ?? [...config.Entrypoint, ...(args ?? config.Cmd ?? [])]
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh']
  const child = spawn('unshare', [...unshare, root, config.User, String(init), ...all], options)
  const output = outputOf(child)
  const firstProcess = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  return {
    output,
    signal(name) {
      process.kill(Number(firstProcess()), name)
    },
    run(beside) {
      const enter = ['--target', firstProcess(), '--mount', '--pid']
      const user = ['chroot', `--userspec=${config.User}`, '--groups=', root]
      return spawnSync('nsenter', [...enter, ...user, ...beside], options).status
    },
    ended: once(child, 'close').then(([status]) => ({ status, output: output() })),
  }
}
