import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { librariesOf } from '../../tools/debian.ts'
import { freePort } from '../../tools/free-port.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export const poolModes = ['transaction', 'session'] as const

export interface PgBouncer {
  /** Returns the URL that reaches a database through PgBouncer. */
  through(database: URL): string
  /** Ends it, as a crash would. */
  kill(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts PgBouncer in front of a server, with Debian's defaults except for the mode and the pool. In transaction
 * mode, all clients share two connections, so nearly every transaction uses one that another client used.
 * @param server URL of the server, with the user and password that clients use as well
 */
export async function startPgBouncer(
  program: string,
  mode: (typeof poolModes)[number],
  server: URL,
): Promise<PgBouncer> {
  const folder = temporaryFolder()
  const port = await freePort()
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${folder}/users.txt`,
    `pool_mode = ${mode}`,
    `default_pool_size = ${mode === 'transaction' ? 2 : 20}`,
    'server_login_retry = 1',
    // PgBouncer refuses to run as root, and switches to this user.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
  ]
  await writeFile(join(folder, 'pgbouncer.ini'), settings.join('\n'))
  await writeFile(join(folder, 'users.txt'), `"${server.username}" "${server.password}"\n`)
  // That user reads both files, whatever the umask is.
  await chmod(folder, 0o755)
  for (const name of ['pgbouncer.ini', 'users.txt']) await chmod(join(folder, name), 0o644)
  const env = { PATH: process.env['PATH'] ?? '', LD_LIBRARY_PATH: await librariesOf(program) }
  let child: ChildProcess
  let output = ''

  async function start() {
    child = spawn(program, [join(folder, 'pgbouncer.ini')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    }
    while (!(await accepts(port))) {
      if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${output.slice(-3000)}`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  async function kill() {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    through: database => Object.assign(new URL(database), { port: String(port) }).href,
    kill,
    start,
    async close() {
      await kill()
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
