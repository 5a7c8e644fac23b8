import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Miniflare } from 'miniflare'
import pg from 'pg'
import { inject } from 'vitest'
import { createD1EmployeeStore } from '../../../src/employees/d1.ts'
import type { EmployeeStore } from '../../../src/employees/employee-store.ts'
import { createPostgresEmployeeStore } from '../../../src/employees/postgres.ts'
import { createPool } from '../../../src/employees/postgres-pool.ts'
import type { Row } from '../../../src/employees/rows.ts'
import { applyMigration, pendingMigrations, readSchema } from '../../../src/operator/migrations.ts'
import type { SimpleStore, Store } from '../../../src/operator/store.ts'
import { openD1Store, openPostgresStore } from '../../../src/operator/stores.ts'
import { listen } from '../../support/listen.ts'

export const dialects = ['postgres', 'd1'] as const

/** An empty database with both its clients: the handler's and that of the employees command. */
export interface Database {
  readonly employees: EmployeeStore
  readonly store: Store
  /** Environment of the employees command for this database. */
  readonly env: Readonly<Record<string, string>>
  /** Returns the database's query plan for a statement. */
  explain(sql: string): Promise<string>
  close(): Promise<void>
}

/** Creates the tables that the handler needs. */
export async function migrate(store: SimpleStore): Promise<void> {
  for (const migration of pendingMigrations(await readSchema(store), true))
    await applyMigration(store, migration, 0)
}

export function openDatabase(dialect: (typeof dialects)[number]): Promise<Database> {
  return dialect === 'postgres' ? openPostgres() : openD1()
}

/** Creates an empty database in a PostgreSQL server, the shared one by default. Returns its URL. */
export async function createPostgresDatabase(server: string = inject('postgres')): Promise<URL> {
  const name = `database_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.end()
  return Object.assign(new URL(server), { pathname: `/${name}` })
}

async function openPostgres(): Promise<Database> {
  const url = await createPostgresDatabase()
  const pool = createPool(url.href)
  const store = openPostgresStore(url.href)
  return {
    employees: createPostgresEmployeeStore(pool),
    store,
    env: { DATABASE_URL: url.href },
    async explain(sql) {
      const client = new pg.Client({ connectionString: url.href })
      await client.connect()
      try {
        await client.query('SET enable_seqscan = off')
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`)
        return rows.map(row => row['QUERY PLAN']).join('\n')
      } finally {
        await client.end()
      }
    },
    async close() {
      await pool.end()
      await store.close()
    },
  }
}

/** Returns a Worker's code as Miniflare takes it without a search for imports, which parses the whole bundle. */
export function moduleOf(code: string) {
  return { modules: [{ type: 'ESModule', path: 'worker.js', contents: new TextEncoder().encode(code) }] }
}

interface Statement {
  readonly sql: string
  readonly values?: readonly unknown[]
}

/** Runs statements inside workerd, because Miniflare's own binding takes several round trips for each. */
export const sqlWorker = moduleOf(`export default {
  async fetch(request, env) {
    const { statements, binding } = await request.json()
    const database = env[binding]
    const prepare = ({ sql, values = [] }) => database.prepare(sql).bind(...values)
    try {
      return Response.json((await database.batch(statements.map(prepare))).map(({ results }) => results))
    } catch (error) {
      return Response.json({ error: error.message })
    }
  },
}`)

/** Runs statements in one transaction by `sqlWorker` at a URL, in the database of a binding. Returns the rows of each. */
async function runBatch(
  url: URL,
  binding: string,
  statements: readonly Statement[],
): Promise<readonly (readonly Row[])[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ statements, binding }) })
  const body = (await response.json()) as readonly (readonly Row[])[] | { readonly error: string }
  if ('error' in body) throw new Error(body.error)
  return body
}

/** As `runBatch`, for one statement. Returns its rows. */
export async function runSql(url: URL, binding: string, statement: Statement): Promise<readonly Row[]> {
  const [rows = []] = await runBatch(url, binding, [statement])
  return rows
}

/** A statement as D1's HTTP API takes it. */
interface Sent {
  readonly sql: string
  readonly params: readonly unknown[]
}

const bindings = Array.from({ length: 16 }, (_, index) => `DATABASE_${index}`)

/** One workerd with empty databases, and the bindings of those that no test has opened. */
interface D1Host {
  readonly miniflare: Miniflare
  readonly unused: string[]
  open: number
}

let currentHost: D1Host | undefined

/** Returns the current host, and starts one if it has no empty database. */
function hostOfD1(): D1Host {
  if (currentHost && currentHost.unused.length > 0) return currentHost
  const d1Databases = Object.fromEntries(bindings.map(name => [name, name]))
  const worker = { name: 'main', ...sqlWorker, compatibilityDate: '2026-07-01', d1Databases }
  currentHost = { miniflare: new Miniflare({ workers: [worker] }), unused: [...bindings], open: 0 }
  return currentHost
}

/**
 * Opens a database in workerd behind the part of D1's HTTP API that runs statements, as documented. Databases that are
 * open at the same time share one workerd.
 */
async function openD1(): Promise<Database> {
  const host = hostOfD1()
  host.open += 1
  const binding = host.unused.pop() ?? ''
  const sqlUrl = await host.miniflare.ready
  const database = await host.miniflare.getD1Database(binding)
  const server = createServer(async (request, response) => {
    const { batch, ...one } = JSON.parse(await text(request)) as Sent & { readonly batch?: readonly Sent[] }
    const statements = (batch ?? [one]).map(({ sql, params }) => ({ sql, values: params }))
    const answer = await runBatch(sqlUrl, binding, statements).then(
      lists => ({ success: true, errors: [], result: lists.map(results => ({ success: true, results })) }),
      (error: Error) => ({ success: false, errors: [{ code: 7500, message: error.message }], result: [] }),
    )
    response.writeHead(answer.success ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  const apiUrl = `${await listen(server)}/client/v4`
  const access = { accountId: 'account', databaseId: 'database', token: 'a-token-for-d1' }
  return {
    employees: createD1EmployeeStore({
      prepare: sql => database.prepare(sql),
      batch: statements => database.batch(statements),
    }),
    store: openD1Store({ apiUrl, ...access }),
    env: {
      CLOUDFLARE_API_URL: apiUrl,
      CLOUDFLARE_ACCOUNT_ID: access.accountId,
      CLOUDFLARE_API_TOKEN: access.token,
      D1_DATABASE_ID: access.databaseId,
    },
    async explain(sql) {
      const rows = await runSql(sqlUrl, binding, { sql: `EXPLAIN QUERY PLAN ${sql}` })
      return rows.map(row => String(row['detail'])).join('\n')
    },
    async close() {
      server.close()
      server.closeAllConnections()
      host.open -= 1
      if (host.open > 0) return
      if (currentHost === host) currentHost = undefined
      await host.miniflare.dispose()
    },
  }
}
