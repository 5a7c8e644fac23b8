import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresEmployeeStore } from '../../src/node/postgres/employees.ts'
import { createPool } from '../../src/node/postgres/pool.ts'
import { freePort } from '../../tools/free-port.ts'
import { underFire } from '../src/employees/fire.ts'
import { createPostgresDatabase } from '../src/support/databases.ts'
import { runEmployees } from '../src/support/operator.ts'
import { debianProgram } from '../support/debian-program.ts'
import { accepts } from '../support/listen.ts'
import { serverProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/**
 * Starts PgBouncer in front of a database, with Debian's defaults except for the mode and the pool. In transaction mode, all
 * clients share two connections, so nearly every transaction uses one that another client used.
 * @param database URL with the user and password that clients use as well
 */
async function startPgBouncer(mode: string, database: URL) {
  const program = await debianProgram('pgbouncer')
  const folder = temporaryFolder()
  const port = await freePort()
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${database.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${folder}/users.txt`,
    `pool_mode = ${mode}`,
    `default_pool_size = ${mode === 'transaction' ? 2 : 20}`,
    // PgBouncer refuses to run as root, and switches to this user.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
  ]
  await writeFile(join(folder, 'pgbouncer.ini'), settings.join('\n'))
  await writeFile(join(folder, 'users.txt'), `"${database.username}" "${database.password}"\n`)
  // That user reads both files, whatever the umask is.
  await chmod(folder, 0o755)
  for (const name of ['pgbouncer.ini', 'users.txt']) await chmod(join(folder, name), 0o644)
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], {
    env: { PATH: process.env['PATH'] ?? '' },
  })
  const { stop } = await serverProgram(child, folder, () => accepts(port))
  return {
    /** Returns the URL that reaches a database of the server through PgBouncer. */
    through: (database: URL) => Object.assign(new URL(database), { port: String(port) }).href,
    stop,
  }
}

describe.each(['transaction', 'session'])('behind PgBouncer in %s mode,', mode => {
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>
  beforeAll(async () => {
    bouncer = await startPgBouncer(mode, await createPostgresDatabase())
  })
  afterAll(() => bouncer?.stop())

  it('no session is ever read as somebody else’s while everything fails', async () => {
    const database = await createPostgresDatabase()
    const answers = await underFire(database.href, bouncer.through(database), 'integer', 2000)
    expect(answers).toBeGreaterThan(100)
  })

  it('the statements of the operator and of the handler leave no setting on the connections that others share', async () => {
    const url = bouncer.through(await createPostgresDatabase())
    const rows = Array.from({ length: 500 }, (_, n) => `${n},person${n}`)
    const file = join(temporaryFolder(), 'employees.csv')
    await writeFile(file, ['id,user_name', ...rows].join('\n'))
    for (const [args, said] of [
      [['migrate'], 'created table employees'],
      [['import', file], '500 added'],
      [['check'], 'can be used'],
      [['list'], 'person499\t499\tactive'],
      [['audit'], 'import add'],
    ] as const)
      expect((await runEmployees({ DATABASE_URL: url }, ...args)).out, args[0]).toContain(said)
    const pool = createPool(url)
    const employees = createPostgresEmployeeStore(pool)
    // As the handler does at its start, which learns what the pooler refuses.
    expect(await employees.check()).toEqual([])
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const id = String(n)
        const name = `person${n}`
        const account = `D${n}`
        expect(await employees.bind(id, account, 1)).toBe(true)
        expect(await employees.findByName([name], account, name)).toMatchObject([{ id, boundTo: account }])
        await employees.endSession(`x${n}`, 1, 9e15)
        await employees.endEmployeeSessions(id, 2000, 9e15)
        const state = await employees.checkSession(`x${n}`, id, 2001)
        expect(state).toMatchObject({
          employee: { id },
          sessionEnded: true,
          employeeEnded: false,
          boundTo: account,
        })
      }),
    )
    await pool.end()
    for (let n = 0; n < 6; n += 1) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      // PgBouncer sets the name for each client.
      const { rows } = await client.query(
        "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name <> 'application_name' AND setting <> reset_val",
      )
      await client.end()
      expect(rows).toEqual([])
    }
  })
})
