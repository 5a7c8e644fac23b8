import type { Row } from './rows.ts'
import { columnNames, flagNames, ownTables, type StoreFacts } from './store-check.ts'

const untypedColumns: readonly Row[] = columnNames.map(name => ({ name, type: '' }))

/** Reads what a check needs to know. D1 has no roles. */
export async function readD1Facts(
  query: (sql: string) => Promise<readonly Row[]>,
  sample: number,
): Promise<StoreFacts> {
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
  const present = flagNames.filter(flag => columns.has(flag))
  const values =
    present.length > 0
      ? await query(
          `SELECT DISTINCT ${present.map(flag => `CAST(${flag} AS TEXT) AS ${flag}`).join(', ')} FROM (SELECT * FROM employees LIMIT ${sample})`,
        )
      : []
  const valuesOf = (flag: string) => values.flatMap(row => (flag in row ? [row[flag] as string | null] : []))
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
    flags: { is_active: valuesOf('is_active'), is_admin: valuesOf('is_admin') },
  }
}
