import { CommandError } from '../../lib/command.ts'
import type { Store } from './store.ts'

/**
 * A change to the tables that the command owns. It owns `employees` only if it created that table. A migration runs before the
 * new code, and stays if that is rolled back, so the previous release must be able to use what it makes: it creates tables, and
 * changes none that another one made. One that is released stays as it is, since it does not run again.
 */
interface Migration {
  readonly version: number
  /** The tables it creates, for the operator. */
  readonly title: string
  /**
   * SQL for both stores; SQLite takes the types of PostgreSQL. Each can be repeated, since D1 has no transactions across
   * requests and a migration can stop halfway.
   */
  readonly statements: readonly string[]
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    title: 'tables homeport_bindings and homeport_ended_sessions',
    statements: [
      `CREATE TABLE IF NOT EXISTS homeport_bindings (
  employee_id TEXT PRIMARY KEY,
  directory_id TEXT NOT NULL UNIQUE,
  bound_at BIGINT NOT NULL,
  bound_by TEXT NOT NULL
)`,
      `CREATE TABLE IF NOT EXISTS homeport_ended_sessions (
  subject TEXT PRIMARY KEY,
  ended_at BIGINT NOT NULL,
  keep_until BIGINT NOT NULL
)`,
      'CREATE INDEX IF NOT EXISTS homeport_ended_sessions_keep_until ON homeport_ended_sessions (keep_until)',
    ],
  },
  {
    version: 2,
    title: 'table homeport_audit',
    statements: [
      `CREATE TABLE IF NOT EXISTS homeport_audit (
  at BIGINT NOT NULL,
  operator TEXT NOT NULL,
  action TEXT NOT NULL,
  employee_id TEXT,
  detail TEXT NOT NULL
)`,
      'CREATE INDEX IF NOT EXISTS homeport_audit_at ON homeport_audit (at)',
    ],
  },
]

/** A table of employees, if there is none. Its index refuses names that differ only in case. */
const ownEmployees: Migration = {
  version: 0,
  title: 'table employees',
  statements: [
    `CREATE TABLE IF NOT EXISTS employees (
  id TEXT PRIMARY KEY,
  user_name TEXT NOT NULL,
  is_active BOOLEAN NOT NULL DEFAULT true,
  is_admin BOOLEAN NOT NULL DEFAULT false
)`,
    'CREATE UNIQUE INDEX IF NOT EXISTS employees_user_name ON employees (lower(user_name))',
  ],
}

const historySql = `CREATE TABLE IF NOT EXISTS homeport_migrations (
  version INTEGER PRIMARY KEY,
  applied_at BIGINT NOT NULL
)`

const relationsSql: Readonly<Record<Store['dialect'], string>> = {
  postgres:
    "SELECT relname AS name, relkind AS kind FROM pg_class WHERE oid IN (to_regclass('employees'), to_regclass('homeport_migrations'))",
  d1: "SELECT name, type AS kind FROM sqlite_master WHERE name IN ('employees', 'homeport_migrations') AND type IN ('table', 'view')",
}

/** The tables that a store has. */
export interface Schema {
  /** Whether this command created `employees`, the operator provides it, or it is missing. */
  readonly employees: 'ours' | 'provided' | 'missing'
  /** Versions of the migrations that have run. */
  readonly applied: ReadonlySet<number>
}

export async function readSchema(store: Store): Promise<Schema> {
  const relations = await store.query(relationsSql[store.dialect])
  const kindOf = (name: string) => relations.find(relation => relation['name'] === name)?.['kind']
  const rows = kindOf('homeport_migrations')
    ? await store.query('SELECT version FROM homeport_migrations')
    : []
  const applied = new Set(rows.map(({ version }) => Number(version)))
  const kind = kindOf('employees')
  // A view can have replaced the table that this command created.
  const ours = (kind === 'r' || kind === 'table') && applied.has(ownEmployees.version)
  return { employees: kind === undefined ? 'missing' : ours ? 'ours' : 'provided', applied }
}

/** Returns the schema. Throws if `migrate` has not run with this version. */
export async function requireMigrated(store: Store): Promise<Schema> {
  const schema = await readSchema(store)
  if (schema.employees === 'missing') {
    throw new CommandError(`${store.place} has no employees table. Run \`migrate\` first.`)
  }
  if (pendingMigrations(schema, false).length > 0) {
    throw new CommandError(`${store.place} lacks tables of this version. Run \`migrate\` first.`)
  }
  return schema
}

/** Returns the migrations still to run, in order. With `createEmployees`, a missing table of employees is the first. */
export function pendingMigrations(schema: Schema, createEmployees: boolean): readonly Migration[] {
  const first = createEmployees && schema.employees === 'missing' ? [ownEmployees] : []
  return [...first, ...migrations.filter(({ version }) => !schema.applied.has(version))]
}

export async function applyMigration(store: Store, migration: Migration, now: number): Promise<void> {
  const recorded = `INSERT INTO homeport_migrations (version, applied_at) VALUES (${migration.version}, ${now}) ON CONFLICT DO NOTHING`
  for (const sql of [historySql, ...migration.statements, recorded]) await store.query(sql)
}
