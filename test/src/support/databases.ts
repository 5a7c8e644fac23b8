import { randomBytes } from 'node:crypto'
import { Miniflare } from 'miniflare'
import pg from 'pg'
import { inject } from 'vitest'
import { createD1EmployeeStore, type D1Binding } from '../../../src/employees/d1.ts'
import type { EmployeeStore } from '../../../src/employees/employee-store.ts'
import { createPostgresEmployeeStore } from '../../../src/node/postgres/employees.ts'
import { createPool } from '../../../src/node/postgres/pool.ts'
import { applyMigration, pendingMigrations, readSchema } from '../../../src/operator/migrations.ts'
import { openD1Store, openPostgresStore } from '../../../src/operator/open-store.ts'
import type { Store } from '../../../src/operator/store.ts'

export const dialects = ['postgres', 'd1'] as const

/** An empty database with both its clients: the handler's and that of the employees command. */
export interface Database {
  readonly employees: EmployeeStore
  readonly store: Store
  /** Environment of the employees command for this database. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Creates the tables that the handler needs. */
export async function migrate(store: Store): Promise<void> {
  for (const migration of pendingMigrations(await readSchema(store), true))
    await applyMigration(store, migration, 0)
}

export function openDatabase(dialect: (typeof dialects)[number]): Promise<Database> {
  return dialect === 'postgres' ? openPostgres() : openD1()
}

/** Creates an empty database in the shared PostgreSQL server. Returns its URL. */
export async function createPostgresDatabase(): Promise<URL> {
  const server = inject('postgres')
  const name = `database_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  // By default, every block goes through the log, which takes twice the processor time.
  await admin.query(`CREATE DATABASE ${name} STRATEGY FILE_COPY`)
  await admin.end()
  return Object.assign(new URL(server), { pathname: `/${name}` })
}

/** Creates a database with every table, and runs SQL in it. Returns its URL. */
export async function createMigratedDatabase(...statements: readonly string[]): Promise<URL> {
  const url = await createPostgresDatabase()
  const store = openPostgresStore(url.href)
  await migrate(store)
  for (const sql of statements) await store.query(sql)
  await store.close()
  return url
}

async function openPostgres(): Promise<Database> {
  const url = await createPostgresDatabase()
  const pool = createPool(url.href)
  const store = openPostgresStore(url.href)
  return {
    employees: createPostgresEmployeeStore(pool),
    store,
    env: { DATABASE_URL: url.href },
    async close() {
      await pool.end()
      await store.close()
    },
  }
}

/** Creates a role of PostgreSQL without privileges. Returns its name, and the URL of a database for it. */
export async function createRole({ store, env }: Database) {
  const name = `role_${randomBytes(6).toString('hex')}`
  await store.query(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`)
  const url = Object.assign(new URL(env['DATABASE_URL'] ?? ''), { username: name, password: 'secret' })
  return { name, url: url.href }
}

/** Returns a Worker's code as Miniflare takes it without a search for imports, which parses the whole bundle. */
export function moduleOf(code: string) {
  return { modules: [{ type: 'ESModule', path: 'worker.js', contents: new TextEncoder().encode(code) }] }
}

/** Serves the part of D1's HTTP API that runs statements, as documented, for the databases of its bindings. */
export const d1Api = moduleOf(`export default {
  async fetch(request, env) {
    const database = env[new URL(request.url).pathname.split('/').at(-2)]
    const { batch, ...one } = await request.json()
    const prepare = ({ sql, params }) => database.prepare(sql).bind(...params)
    try {
      const lists = await database.batch((batch ?? [one]).map(prepare))
      const result = lists.map(({ results, meta }) => ({ success: true, results, meta }))
      return Response.json({ success: true, errors: [], result })
    } catch ({ message }) {
      const errors = [{ code: 7500, message }]
      return Response.json({ success: false, errors, result: [] }, { status: 400 })
    }
  },
}`)

/** Returns how to reach a database by `d1Api` at a URL. */
export function d1AccessOf(url: URL, databaseId: string) {
  return { apiUrl: `${url.origin}/client/v4`, accountId: 'account', databaseId, token: 'a-token-for-d1' }
}

/**
 * Returns a D1 binding whose statements run in the Worker behind `d1Api`. Miniflare's own binding for Node stops the process for
 * each call, and several times for each statement.
 */
function bindingOf({ apiUrl, accountId, databaseId, token }: ReturnType<typeof d1AccessOf>): D1Binding {
  type Statement = ReturnType<D1Binding['prepare']>
  async function send(body: object) {
    const path = `accounts/${accountId}/d1/database/${databaseId}/query`
    const headers = { authorization: `Bearer ${token}` }
    const sent = await fetch(`${apiUrl}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const { errors, result } = (await sent.json()) as {
      readonly errors: readonly { readonly message: string }[]
      readonly result: readonly Awaited<ReturnType<Statement['all']>>[]
    }
    for (const { message } of errors) throw new Error(message)
    return result
  }
  const prepare = (sql: string, params: readonly unknown[] = []): Statement =>
    Object.assign(
      {
        bind: (...values: readonly unknown[]) => prepare(sql, values),
        all: async () => (await send({ sql, params }))[0] ?? { results: [], meta: {} },
      },
      { sql, params },
    )
  return { prepare, batch: statements => send({ batch: statements }) }
}

/** Databases of the one workerd that a test process starts, and ends with itself. */
const unused = Array.from({ length: 12 }, (_, index) => `DATABASE_${index}`)

let workerd: Miniflare | undefined

function startWorkerd(): Miniflare {
  const d1Databases = Object.fromEntries(unused.map(name => [name, name]))
  return new Miniflare({ ...d1Api, name: 'main', compatibilityDate: '2026-07-01', d1Databases })
}

async function openD1(): Promise<Database> {
  workerd ??= startWorkerd()
  const binding = unused.pop()
  if (binding === undefined) throw new Error('Every database of this workerd was used.')
  const access = d1AccessOf(await workerd.ready, binding)
  const store = openD1Store(access)
  return {
    employees: createD1EmployeeStore(bindingOf(access)),
    store,
    env: {
      CLOUDFLARE_API_URL: access.apiUrl,
      CLOUDFLARE_ACCOUNT_ID: access.accountId,
      CLOUDFLARE_API_TOKEN: access.token,
      D1_DATABASE_ID: access.databaseId,
    },
    close: () => store.close(),
  }
}
