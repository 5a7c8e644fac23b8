import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Miniflare } from 'miniflare'
import pg from 'pg'
import { inject } from 'vitest'
import { createD1EmployeeStore } from '../../../src/employees/d1.ts'
import type { EmployeeStore } from '../../../src/employees/employee-store.ts'
import { createPostgresEmployeeStore } from '../../../src/employees/postgres.ts'
import { createPool } from '../../../src/employees/postgres-pool.ts'
import { openD1Store } from '../../../src/operator/d1-store.ts'
import { openPostgresStore } from '../../../src/operator/postgres-store.ts'
import type { Store } from '../../../src/operator/store.ts'

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

/** Runs statements inside workerd, because Miniflare's own binding takes several round trips for each. */
export const sqlWorker = moduleOf(`export default {
  async fetch(request, env) {
    const { sql, values, batch, database: name } = await request.json()
    const database = env[name]
    const prepare = ({ sql, values }) => database.prepare(sql).bind(...values)
    try {
      if (batch) return Response.json({ results: await database.batch(batch.map(prepare)) })
      return Response.json(await prepare({ sql, values }).all())
    } catch (error) {
      return Response.json({ error: error.message })
    }
  },
}`)

/** Runs a statement by `sqlWorker` at a URL, in the database of a binding. Returns its rows. */
export async function runSql(
  url: URL,
  database: string,
  sql: string,
  values: readonly unknown[],
): Promise<readonly Record<string, unknown>[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ sql, values, database }) })
  const body = (await response.json()) as { results: readonly Record<string, unknown>[]; error?: string }
  if (body.error !== undefined) throw new Error(body.error)
  return body.results
}

/** A statement as D1's HTTP API takes it. */
interface Sent {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** Runs statements in one transaction by `sqlWorker`. Returns the rows of each. */
async function runBatch(url: URL, database: string, batch: readonly Sent[]): Promise<readonly unknown[]> {
  const statements = batch.map(({ sql, params }) => ({ sql, values: params }))
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ batch: statements, database }) })
  const body = (await response.json()) as { results: readonly { results: unknown }[]; error?: string }
  if (body.error !== undefined) throw new Error(body.error)
  return body.results.map(({ results }) => results)
}

const token = 'a-token-for-d1'

const bindings = Array.from({ length: 16 }, (_, index) => `DATABASE_${index}`)

/** One workerd with empty databases. */
interface D1Host {
  readonly miniflare: Miniflare
  /** Bindings of the databases that no test has opened. */
  readonly unused: string[]
  open: number
}

let currentHost: D1Host | undefined

/** Takes an empty database of the current host, and starts a host if there is none. */
function takeD1(): { readonly host: D1Host; readonly binding: string } {
  if (!currentHost || currentHost.unused.length === 0) {
    const miniflare = new Miniflare({
      workers: [
        {
          name: 'main',
          ...sqlWorker,
          compatibilityDate: '2026-07-01',
          d1Databases: Object.fromEntries(bindings.map(name => [name, name])),
        },
      ],
    })
    currentHost = { miniflare, unused: [...bindings], open: 0 }
  }
  currentHost.open += 1
  return { host: currentHost, binding: currentHost.unused.pop() ?? '' }
}

/** Stops a host with its last open database. */
async function releaseD1(host: D1Host): Promise<void> {
  host.open -= 1
  if (host.open > 0) return
  if (currentHost === host) currentHost = undefined
  await host.miniflare.dispose()
}

/**
 * Opens a database in workerd behind the part of D1's HTTP API that runs a statement, as documented. Databases that are
 * open at the same time share one workerd.
 */
async function openD1(): Promise<Database> {
  const { host, binding } = takeD1()
  const sqlUrl = await host.miniflare.ready
  const database = await host.miniflare.getD1Database(binding)
  const all = (sql: string, values: readonly unknown[]) => runSql(sqlUrl, binding, sql, values)
  const server = createServer(async (request, response) => {
    function answer(status: number, body: unknown) {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const refuse = (status: number, code: number, message: string) =>
      answer(status, { success: false, errors: [{ code, message }], messages: [], result: [] })
    if (request.headers.authorization !== `Bearer ${token}`)
      return refuse(401, 10_000, 'Authentication error')
    if (request.url !== '/client/v4/accounts/account/d1/database/database/query') {
      return refuse(404, 7404, 'The database does not exist')
    }
    let text = ''
    for await (const chunk of request) text += chunk
    const sent = JSON.parse(text) as Sent & { readonly batch?: readonly Sent[] }
    try {
      const lists = sent.batch
        ? await runBatch(sqlUrl, binding, sent.batch)
        : [await all(sent.sql, sent.params)]
      const result = lists.map(results => ({ success: true, results, meta: {} }))
      answer(200, { success: true, errors: [], messages: [], result })
    } catch (error) {
      refuse(400, 7500, error instanceof Error ? error.message : 'unknown')
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const apiUrl = `http://127.0.0.1:${port}/client/v4`
  return {
    employees: createD1EmployeeStore({
      prepare: sql => database.prepare(sql),
      batch: statements => database.batch(statements),
    }),
    store: openD1Store({ apiUrl, accountId: 'account', databaseId: 'database', token }),
    env: {
      CLOUDFLARE_API_URL: apiUrl,
      CLOUDFLARE_ACCOUNT_ID: 'account',
      CLOUDFLARE_API_TOKEN: token,
      D1_DATABASE_ID: 'database',
    },
    explain: async sql =>
      (await all(`EXPLAIN QUERY PLAN ${sql}`, [])).map(row => String(row['detail'])).join('\n'),
    async close() {
      server.closeAllConnections()
      await new Promise<void>(resolve => server.close(() => resolve()))
      await releaseD1(host)
    },
  }
}
