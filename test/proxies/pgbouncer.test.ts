import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { debianProgram, librariesOf, NoProgram } from '../../tools/debian.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { underFire } from '../src/employees/fire.ts'
import { runEmployees } from '../src/support/operator.ts'
import { type Stage, startStage } from '../src/support/stage.ts'
import { Sequence } from '../support/sequence.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { Visitor } from '../support/visitor.ts'

const program = await debianProgram('pgbouncer').catch((error: unknown) => {
  if (!(error instanceof NoProgram)) throw error
  process.stderr.write(`PgBouncer did not run: ${error.message}\n`)
  return null
})

const absent = program === null ? ' (it cannot be fetched)' : ''

/**
 * Starts PgBouncer in front of a server, with Debian's defaults except for the mode and the pool. In transaction mode, all
 * clients share two connections, so nearly every transaction uses one that another client used.
 * @param server URL of the server, with the user and password that clients use as well
 */
async function startPgBouncer(program: string, mode: string, server: URL) {
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
    /** Returns the URL that reaches a database through PgBouncer. */
    through: (database: URL) => Object.assign(new URL(database), { port: String(port) }).href,
    /** Ends it, as a crash would. */
    kill,
    start,
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const accepted = await once(socket, 'connect').catch(() => null)
  socket.destroy()
  return accepted !== null
}

describe.skipIf(program === null).each(['transaction', 'session'])(
  `behind PgBouncer in %s mode${absent},`,
  mode => {
    let postgres: Postgres
    let bouncer: Awaited<ReturnType<typeof startPgBouncer>>
    let stage: Stage
    let folder: string
    let operators: string
    beforeAll(async () => {
      folder = temporaryFolder()
      postgres = await startPostgres()
      const server = new URL(await postgres.createDatabase('operators'))
      bouncer = await startPgBouncer(program ?? '', mode, server)
      operators = bouncer.through(server)
      stage = await startStage('node', {
        env: { REQUIRE_STATE: 'true' },
        postgres: { server: server.href, handlersUse: bouncer.through },
      })
    })
    afterAll(async () => {
      await stage?.close()
      await bouncer?.kill()
      await postgres?.close()
    })

    async function employees(...args: string[]): Promise<string> {
      const { status, out } = await runEmployees({ DATABASE_URL: operators, SUDO_USER: 'ops' }, ...args)
      expect(status, args[0]).toBe(0)
      return out
    }
    const forward = async (visitor: Visitor) => (await visitor.call('/api/auth/forward')).status
    async function signedIn() {
      const person = await stage.hire()
      const visitor = stage.visitor()
      const { status, body } = await visitor.signIn(person.account)
      expect([status, body]).toMatchObject([200, { user: { username: person.userName } }])
      return visitor
    }

    it('no session is ever read as somebody else’s while everything fails', async () => {
      const database = new URL(await postgres.createDatabase(`fire_${mode}`))
      const sequence = new Sequence(Number(process.env['TEST_SEED']))
      const { answers } = await underFire(database.href, bouncer.through(database), 'integer', sequence, 2000)
      expect(answers).toBeGreaterThan(100)
    })

    it('the operator’s commands work', async () => {
      expect(await employees('migrate')).toContain('created table employees')
      const file = join(folder, 'employees.csv')
      const rows = Array.from({ length: 500 }, (_, index) => `${index},person${index},true,${index === 0}`)
      await writeFile(file, ['id,user_name,is_active,is_admin', ...rows].join('\n'))
      expect(await employees('import', file)).toContain('500')
      expect(await employees('check')).toContain('can be used')
      expect(await employees('list')).toContain('person499\t499\tactive')
      expect(await employees('audit')).toContain('import add')
    })

    it('no setting stays on the connections that others share', async () => {
      for (let n = 0; n < 6; n += 1) {
        const client = new pg.Client({ connectionString: operators })
        await client.connect()
        const { rows } = await client.query(
          // PgBouncer sets the name for each client.
          "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name <> 'application_name' AND setting <> reset_val",
        )
        await client.end()
        expect(rows).toEqual([])
      }
    })

    it('a restart of PgBouncer, and one of PostgreSQL, are survived without a restart of the handler', async () => {
      const visitor = await signedIn()
      const restarts = [
        { stop: bouncer.kill, start: bouncer.start },
        { stop: postgres.stop, start: postgres.start },
      ]
      for (const { stop, start } of restarts) {
        await stop()
        expect(await forward(visitor)).toBe(503)
        await start()
        await expect.poll(() => forward(visitor), { timeout: 20_000, interval: 200 }).toBe(204)
        expect(await forward(await signedIn())).toBe(204)
      }
      expect((await visitor.session()).status).toBe(200)
    })
  },
)
