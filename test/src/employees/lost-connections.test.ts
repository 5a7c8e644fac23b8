import { connect, createServer, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createD1EmployeeStore, type D1Binding } from '../../../src/employees/d1.ts'
import type { EmployeeStore } from '../../../src/employees/employee-store.ts'
import { createPostgresEmployeeStore } from '../../../src/node/postgres/employees.ts'
import { createPool, type Pool } from '../../../src/node/postgres/pool.ts'
import { listen } from '../../support/listen.ts'
import { type Database, migrate, openDatabase } from '../support/databases.ts'

type Fate = 'forgotten' | 'reset'

/**
 * Relays connections to a database. `lose` does to those that are open what a firewall does to idle ones: it drops their packets,
 * or answers the next one with a reset. New connections work.
 */
async function startFirewall(database: URL) {
  const open = new Set<Socket>()
  const lost = new Map<Socket, Fate>()
  let accepted = 0
  const server = createServer(client => {
    accepted += 1
    open.add(client)
    const upstream = connect(Number(database.port), database.hostname)
    client.on('data', chunk => {
      const fate = lost.get(client)
      if (fate === undefined) upstream.write(chunk)
      if (fate === 'reset') client.resetAndDestroy()
    })
    upstream.on('data', chunk => lost.has(client) || client.write(chunk))
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.on('close', () => {
      open.delete(client)
      upstream.destroy()
    })
    upstream.on('close', () => lost.has(client) || client.destroy())
  })
  const { port } = new URL(await listen(server))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return {
    url: Object.assign(new URL(database), { port }).href,
    accepted: () => accepted,
    lose: (fate: Fate, except: ReadonlySet<Socket> = new Set()) => {
      for (const client of open) if (!except.has(client)) lost.set(client, fate)
    },
    open: () => new Set(open),
  }
}

describe('a connection that the network lost', () => {
  let database: Database
  beforeAll(async () => {
    database = await openDatabase('postgres')
    await migrate(database.store)
    await database.store.query('CREATE SEQUENCE asked')
    await database.store.query('CREATE TABLE once (n int)')
    await database.store.query("INSERT INTO employees (id, user_name) VALUES ('7', 'ada')")
  })
  afterAll(() => database?.close())

  async function start() {
    const firewall = await startFirewall(new URL(database.env['DATABASE_URL'] ?? ''))
    const pool = createPool(firewall.url)
    onTestFinished(() => pool.end())
    return { firewall, pool }
  }
  it('is asked for by the system, and none is idle for a minute', async () => {
    const asked = vi.spyOn(Socket.prototype, 'setKeepAlive')
    const { firewall, pool } = await start()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await read(pool)
    expect(asked.mock.calls).toContainEqual([true, 20_000])
    vi.advanceTimersByTime(59_000)
    await expect.poll(() => firewall.open().size).toBe(0)
  })

  /** Has every connection of a pool open. */
  const open = (pool: Pool) => Promise.all(Array.from({ length: 30 }, () => read(pool)))
  const read = async (pool: Pool) =>
    (await pool.query({ text: 'SELECT 1 AS n, pg_sleep(0.01)', repeats: 'read' })).rows[0]?.['n']

  it.each(['forgotten', 'reset'] as const)('fails no read if all are %s', async fate => {
    const { firewall, pool } = await start()
    for (const at of [1, 30]) {
      await open(pool)
      expect(firewall.open().size).toBeGreaterThan(5)
      firewall.lose(fate)
      const answers: unknown[] = []
      for (let n = 0; n < 12; n += 1)
        answers.push(...(await Promise.all(Array.from({ length: at }, () => read(pool)))))
      expect(new Set(answers)).toEqual(new Set([1]))
    }
  })

  it.each(['forgotten', 'reset'] as const)('ends a session, and binds, despite being %s', async fate => {
    const { firewall, pool } = await start()
    const employees = createPostgresEmployeeStore(pool)
    const id = `s-${fate}`
    await open(pool)
    firewall.lose(fate)
    await employees.endSession(id, 1, Date.now() + 60_000)
    expect((await employees.checkSession(id, '7', 0)).sessionEnded).toBe(true)
    await database.store.query('DELETE FROM homeport_bindings')
    await open(pool)
    firewall.lose(fate)
    expect(await employees.bind('7', 'D7', 1)).toBe(true)
  })

  it('is closed, but never one on which a change is under way', async () => {
    const { firewall, pool } = await start()
    const changing = pool.query({ text: 'INSERT INTO once SELECT 1 FROM pg_sleep(3)' })
    await expect.poll(() => firewall.open().size).toBe(1)
    const spared = firewall.open()
    await open(pool)
    firewall.lose('forgotten', spared)
    expect(await Promise.all(Array.from({ length: 12 }, () => read(pool)))).toEqual(Array(12).fill(1))
    expect((await changing).rowCount).toBe(1)
    expect((await pool.query({ text: 'SELECT n FROM once' })).rows).toHaveLength(1)
  })

  it('is not suspected in a database that is slow: it is asked once more at most', async () => {
    const { firewall, pool } = await start()
    await open(pool)
    const before = firewall.accepted()
    const slow = { text: "SELECT nextval('asked') FROM pg_sleep(2)", repeats: 'read' } as const
    for (const count of [8, 1, 8]) await Promise.all(Array.from({ length: count }, () => pool.query(slow)))
    const [row] = (await pool.query({ text: 'SELECT last_value FROM asked' })).rows
    expect(Number(row?.['last_value'])).toBeLessThanOrEqual(8 + 1 + 8 + 1)
    expect(firewall.accepted() - before).toBeLessThanOrEqual(1)
  })
})

describe('D1', () => {
  /** A database that fails once, with an error in the service's words. Returns how often it was asked. */
  async function timesAsked(message: string, ask: (employees: EmployeeStore) => Promise<unknown>) {
    let asked = 0
    async function answer() {
      asked += 1
      if (asked === 1) throw new Error(`D1_ERROR: ${message}`)
      return { results: [{ id: null, shares_id: 0, bound_to: null }], meta: { changes: 1 } }
    }
    const statement = { bind: () => statement, all: answer }
    const database: D1Binding = { prepare: () => statement, batch: answer }
    await ask(createD1EmployeeStore(database)).catch(error => expect(error.name).toBe('StoreFailure'))
    return asked
  }
  const check = (employees: EmployeeStore) => employees.checkSession('s', '7', 0)
  const bind = (employees: EmployeeStore) => employees.bind('7', 'D7', 1)
  const end = (employees: EmployeeStore) => employees.endSession('s', 1, 2)
  const endAll = (employees: EmployeeStore) => employees.endEmployeeSessions('7', 1, 2)

  it.each([
    'Network connection lost.',
    'Internal error in D1 DB storage caused object to be reset.',
    'D1 DB reset because its code was updated.',
  ])('is asked once more after %j, but not to end all sessions', async message => {
    const counts = [check, bind, end, endAll].map(ask => timesAsked(message, ask))
    expect(await Promise.all(counts)).toEqual([2, 2, 2, 1])
  })

  it.each([
    'D1 DB is overloaded. Requests queued for too long.',
    'Network connection lost: the object is overloaded.',
    'no such table: employees: SQLITE_ERROR',
  ])('is not asked again after %j', async message => {
    const counts = [check, bind, end, endAll].map(ask => timesAsked(message, ask))
    expect(await Promise.all(counts)).toEqual([1, 1, 1, 1])
    await timesAsked(message, employees => employees.check())
  })

  it.each([
    ['database or disk is full: SQLITE_FULL', 'SQLITE_FULL'],
    ['x: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_TRIGGER)', 'SQLITE_CONSTRAINT'],
    ['no such table: employees: SQLITE_ERROR', 'no-such-table'],
    ['D1 DB is overloaded. Requests queued for too long.', 'no-answer'],
  ])('names the cause of %j without its text', async (message, reason) => {
    const answer = () => Promise.reject(new Error(`D1_ERROR: ${message}`))
    const statement = { bind: () => statement, all: answer }
    const employees = createD1EmployeeStore({ prepare: () => statement, batch: answer })
    await expect(bind(employees)).rejects.toMatchObject({ name: 'StoreFailure', reason })
  })
})
