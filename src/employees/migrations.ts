import { OperatorError, type Store } from './store.ts'

/** A change of our own tables. `employees` is ours only where nobody had a table or view of that name. */
interface Migration {
  readonly version: number
  readonly title: string
  readonly statements: Readonly<Record<Store['dialect'], readonly string[]>>
}

/** Each statement can run twice: D1 has no transaction across requests, so a migration may be cut off in its middle. */
const ownTables = (integer: string) => [
  `CREATE TABLE IF NOT EXISTS homeport_bindings (
  employee_id TEXT PRIMARY KEY,
  directory_id TEXT NOT NULL UNIQUE,
  bound_at ${integer} NOT NULL,
  bound_by TEXT NOT NULL
)`,
  `CREATE TABLE IF NOT EXISTS homeport_ended_sessions (
  subject TEXT PRIMARY KEY,
  ended_at ${integer} NOT NULL,
  keep_until ${integer} NOT NULL
)`,
  'CREATE INDEX IF NOT EXISTS homeport_ended_sessions_keep_until ON homeport_ended_sessions (keep_until)',
]

export const migrations: readonly Migration[] = [
  {
    version: 1,
    title: 'bindings and ended sessions',
    statements: { postgres: ownTables('BIGINT'), d1: ownTables('INTEGER') },
  },
]

/** A new table of employees, for who has none. The index refuses names that differ in case only. */
export const ownEmployees: Migration = {
  version: 0,
  title: 'a table of employees',
  statements: {
    postgres: employeesTable('BOOLEAN', 'false', 'true'),
    d1: employeesTable('INTEGER', '0', '1'),
  },
}

function employeesTable(flag: string, no: string, yes: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS employees (
  id TEXT PRIMARY KEY,
  user_name TEXT NOT NULL,
  is_active ${flag} NOT NULL DEFAULT ${yes},
  is_admin ${flag} NOT NULL DEFAULT ${no}
)`,
    'CREATE UNIQUE INDEX IF NOT EXISTS employees_user_name ON employees (lower(user_name))',
  ]
}

const history = `CREATE TABLE IF NOT EXISTS homeport_migrations (
  version INTEGER PRIMARY KEY,
  applied_at BIGINT NOT NULL
)`

const relationQuery: Readonly<Record<Store['dialect'], string>> = {
  postgres: "SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass('employees')",
  d1: "SELECT type AS kind FROM sqlite_master WHERE name = 'employees' AND type IN ('table', 'view')",
}

const historyQuery: Readonly<Record<Store['dialect'], string>> = {
  postgres: "SELECT 1 FROM pg_class WHERE oid = to_regclass('homeport_migrations')",
  d1: "SELECT 1 FROM sqlite_master WHERE name = 'homeport_migrations'",
}

/** What `employees` is: a table this command made, something the operator provides, or nothing yet. */
export async function employeesOf(store: Store): Promise<'ours' | 'provided' | 'missing'> {
  const [relation] = await store.query(relationQuery[store.dialect])
  if (!relation) return 'missing'
  // A view may have taken the place of the table that was made here once.
  const isTable = relation['kind'] === 'r' || relation['kind'] === 'table'
  return isTable && (await appliedVersions(store)).has(ownEmployees.version) ? 'ours' : 'provided'
}

/** Refuses to go on where `migrate` has not been run, or not since something was added. */
export async function requireMigrated(store: Store): Promise<void> {
  if ((await employeesOf(store)) === 'missing') {
    throw new OperatorError(`${store.place} has no employees yet. Run \`migrate\` first.`)
  }
  if ((await pendingMigrations(store, false)).length > 0) {
    throw new OperatorError(`${store.place} lacks tables of this version. Run \`migrate\` first.`)
  }
}

async function appliedVersions(store: Store): Promise<ReadonlySet<number>> {
  if ((await store.query(historyQuery[store.dialect])).length === 0) return new Set()
  const rows = await store.query('SELECT version FROM homeport_migrations')
  return new Set(rows.map(({ version }) => Number(version)))
}

/** What has yet to be done, in order. `employees` is made only where `createEmployees` says so and there is none. */
export async function pendingMigrations(
  store: Store,
  createEmployees: boolean,
): Promise<readonly Migration[]> {
  const applied = await appliedVersions(store)
  const employees = await employeesOf(store)
  const first = createEmployees && employees === 'missing' ? [ownEmployees] : []
  return [...first, ...migrations.filter(({ version }) => !applied.has(version))]
}

export async function applyMigration(store: Store, migration: Migration, now: number): Promise<void> {
  await store.query(history)
  for (const statement of migration.statements[store.dialect]) await store.query(statement)
  await store.query(
    'INSERT INTO homeport_migrations (version, applied_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [migration.version, now],
  )
}
