import { type Query, readFlags } from './flags.ts'
import type { Row } from './rows.ts'
import { columnNames, ownTables, type StoreFacts } from './store-check.ts'

const untypedColumns: readonly Row[] = columnNames.map(name => ({ name, type: '' }))

/** Reads what a check needs to know. D1 has no roles. */
export async function readD1Facts(query: Query, sample: number): Promise<StoreFacts> {
  const found = await query(
    "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view', 'index')",
  )
  const relationOf = (name: string) => found.find(row => row['name'] === name && row['type'] !== 'index')
  const employees = relationOf('employees')
  // If the function is unavailable, the sample below fails for a missing column.
  const types = employees
    ? await query("SELECT name, type FROM pragma_table_info('employees')").catch(() => untypedColumns)
    : []
  const columns = new Map(types.map(row => [String(row['name']), String(row['type']).toLowerCase()]))
  return {
    kind: employees === undefined ? 'missing' : employees['type'] === 'view' ? 'view' : 'table',
    name: 'employees',
    columns,
    missingTables: ownTables.filter(name => !relationOf(name)),
    missingGrants: new Map(),
    role: null,
    indexes: found.flatMap(row =>
      row['type'] === 'index' && typeof row['sql'] === 'string' ? [row['sql']] : [],
    ),
    flags: await readFlags(query, columns, sample),
  }
}
