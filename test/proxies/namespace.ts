import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

/** The host of the endpoint, and its addresses in a namespace. */
export const pushHost = 'push.example.com'
const pushAddress = '203.0.113.1'

const run = promisify(execFile)
const namespaces = ['--user', '--map-root-user', '--mount', '--net']

/**
 * A network of its own: `wan` is the router's interface, and the address of the endpoint is on this machine. The programs in it
 * have their own hosts and authorities, and reach nothing else.
 */
const setUp = `set -e
ip link set lo up
ip link add wan type veth peer name provider
ip link set wan up
ip link set provider up
mount -t tmpfs none /etc/ssl/certs`
const fill = `mount --bind "$1/hosts" /etc/hosts
cp "$1/ca.pem" /etc/ssl/certs/ca-certificates.crt
echo ready
exec cat`

/** Says why no namespace can be made here, or nothing. */
export const whyNoNamespace = problem()

function problem(): string {
  const { status, stderr, error } = spawnSync('unshare', [...namespaces, 'sh', '-c', setUp], {
    encoding: 'utf8',
  })
  if (status === 0) return ''
  return ` (no network namespace here: ${error?.message ?? stderr.trim().split('\n').at(-1)})`
}

/** A namespace with a router in it. */
export interface Namespace {
  /** Starts a program in it, with no environment but this and PATH. */
  start(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess
  /** Gives the router another address, from which it reaches the endpoint. */
  setAddress(address: string): Promise<void>
  /** Ends it. Programs that are still running keep it. */
  close(): Promise<void>
}

/** Creates a namespace. `folder` has its `hosts`, and the authority that its programs trust, `ca.pem`. */
export async function createNamespace(folder: string): Promise<Namespace> {
  // It ends with this process, whose end closes the input of `cat`.
  const holder = spawn('unshare', [...namespaces, 'sh', '-c', `${setUp}\n${fill}`, 'sh', folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(holder, 'exit')
  await Promise.race([
    once(holder.stdout, 'data'),
    ended.then(([status]) => Promise.reject(new Error(`unshare ended with ${status}`))),
  ])
  const enter = [
    ...['--target', String(holder.pid), '--user', '--preserve-credentials', '--mount', '--net'],
    '--',
  ]
  const PATH = process.env['PATH'] ?? ''
  return {
    start: (program, args, env = {}) =>
      spawn('nsenter', [...enter, program, ...args], {
        env: { PATH, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    async setAddress(address) {
      const script = `ip addr flush dev wan scope global && ip addr add "$1/32" dev wan
ip route replace local ${pushAddress} dev lo src "$1"`
      await run('nsenter', [...enter, 'sh', '-ec', script, 'sh', address])
    },
    async close() {
      holder.stdin.end()
      await ended
    },
  }
}

export const hostsFile = `127.0.0.1 localhost\n${pushAddress} ${pushHost}\n`
