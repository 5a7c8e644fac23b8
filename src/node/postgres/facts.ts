import { type Query, readFlags } from '../../employees/flags.ts'
import type { Row } from '../../employees/rows.ts'
import { judgeStore, ownTables, type StoreFacts, type StoreProblem } from '../../employees/store-check.ts'

const relationsSql = `
  SELECT t.name, c.relkind::text AS kind, quote_ident(current_user) AS role,
    pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only,
    quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS qualified,
    (SELECT string_agg(p, ', ') FROM unnest(t.needed) AS p WHERE NOT has_table_privilege(c.oid, p)) AS missing
  FROM (VALUES ('employees', ARRAY['SELECT']), ('homeport_bindings', ARRAY['SELECT', 'INSERT']),
    ('homeport_ended_sessions', ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'])) AS t(name, needed)
  LEFT JOIN pg_class c ON c.oid = to_regclass(t.name) LEFT JOIN pg_namespace n ON n.oid = c.relnamespace`

const columnTypesSql = `
  SELECT attname AS name, CASE WHEN typcategory = 'S' THEN 'text' ELSE format_type(atttypid, NULL) END AS type
  FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
  WHERE attrelid = to_regclass('employees') AND attnum > 0 AND NOT attisdropped`

/** Indexes of employees, or of the tables that its view reads. */
const indexesSql = `
  WITH RECURSIVE behind(oid) AS (
    SELECT to_regclass('employees')::oid UNION
    SELECT d.refobjid FROM behind JOIN pg_rewrite r ON r.ev_class = behind.oid
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    WHERE d.refclassid = 'pg_class'::regclass)
  SELECT pg_get_indexdef(i.indexrelid) AS definition
  FROM behind JOIN pg_class c ON c.oid = behind.oid AND c.relkind IN ('r', 'p', 'm')
  JOIN pg_index i ON i.indrelid = c.oid`

const isStandby =
  'The database is a standby, so nobody can sign in or out. Let DATABASE_URL lead to the primary.'
const isReadOnly =
  'The database is read-only, so nobody can sign in or out. Ask its administrator why default_transaction_read_only is on.'

/** Returns what is wrong with a store, with the privileges of the connected role. */
export async function judgePostgres(query: Query, sample: number): Promise<readonly StoreProblem[]> {
  const rows = await query(relationsSql)
  const [state] = rows
  const why = state?.['standby'] ? isStandby : state?.['read_only'] === 'on' ? isReadOnly : null
  const readOnly = why === null ? [] : [{ code: 'read-only', usable: false, message: why } as const]
  return [...judgeStore(await readFacts(query, rows, sample)), ...readOnly]
}

async function readFacts(query: Query, rows: readonly Row[], sample: number): Promise<StoreFacts> {
  const found = new Map(rows.map(row => [row['name'], row]))
  const employees = found.get('employees')
  const kind = employees?.['kind']
  const columns = new Map(
    (await query(columnTypesSql)).map(row => [String(row['name']), String(row['type']).toLowerCase()]),
  )
  const missingGrants = new Map(
    [...found].flatMap(([name, { missing }]) =>
      typeof missing === 'string' ? [[String(name), missing] as const] : [],
    ),
  )
  const readable = kind != null && !missingGrants.has('employees')
  const indexes = kind == null ? [] : await query(indexesSql)
  return {
    kind: kind == null ? 'missing' : kind === 'v' ? 'view' : 'table',
    name: String(employees?.['qualified'] ?? 'employees'),
    columns,
    missingTables: ownTables.filter(name => found.get(name)?.['kind'] == null),
    missingGrants,
    role: String(employees?.['role']),
    indexes: indexes.map(({ definition }) => String(definition)),
    flags: await readFlags(query, readable ? columns : new Map(), sample),
  }
}
