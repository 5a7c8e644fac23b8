import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

const namespaces = ['--user', '--map-root-user', '--mount', '--net']

/** Says why a command fails in a network of its own here, or nothing. */
export function whyNoNamespace(...command: string[]): string {
  const { status, stderr, error } = spawnSync('unshare', [...namespaces, ...command], { encoding: 'utf8' })
  if (status === 0) return ''
  return ` (no network namespace here: ${error?.message ?? stderr.trim().split('\n').at(-1)})`
}

/** A network of its own, with mounts of its own. */
export type Namespace = Awaited<ReturnType<typeof createNamespace>>

/**
 * Creates a namespace with a shell script, which prints something when it is done.
 * @param args of the script, from `$1` on
 */
export async function createNamespace(script: string, ...args: string[]) {
  // It ends with this process, whose end closes the input of `cat`.
  const holder = spawn('unshare', [...namespaces, 'sh', '-c', `${script}\nexec cat`, 'sh', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(holder, 'exit')
  await Promise.race([
    once(holder.stdout, 'data'),
    ended.then(([status]) => Promise.reject(new Error(`unshare ended with ${status}`))),
  ])
  const enter = `--target ${holder.pid} --user --preserve-credentials --mount --net --`.split(' ')
  return {
    /** Starts a program in it, with no environment but this and PATH. */
    start: (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      spawn('nsenter', [...enter, program, ...args], {
        env: { PATH: process.env['PATH'] ?? '', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    /** Ends it. Programs that are still running keep it. */
    async close(): Promise<void> {
      holder.stdin.end()
      await ended
    },
  }
}
