import type { Row } from './rows.ts'
import { type Flag, flagNames, type StoreFacts } from './store-check.ts'

/** Runs a statement and returns its rows. */
export type Query = (sql: string) => Promise<readonly Row[]>

/** Reads the values of the flags among these columns, from a sample of the employees. */
export async function readFlags(
  query: Query,
  columns: StoreFacts['columns'],
  sample: number,
): Promise<StoreFacts['flags']> {
  const present = flagNames.filter(flag => columns.has(flag))
  const selected = present.map(flag => `CAST(${flag} AS TEXT) AS ${flag}`).join(', ')
  const sampled = `(SELECT * FROM employees LIMIT ${sample}) AS sampled`
  const rows = present.length > 0 ? await query(`SELECT DISTINCT ${selected} FROM ${sampled}`) : []
  const valuesOf = (flag: Flag) => rows.flatMap(row => (flag in row ? [row[flag] as string | null] : []))
  return { is_active: valuesOf('is_active'), is_admin: valuesOf('is_admin') }
}
