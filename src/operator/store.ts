import { CommandError } from '../../lib/command.ts'
import type { Dialect, Row } from '../employees/rows.ts'

export interface Statement {
  readonly sql: string
  readonly values?: readonly unknown[]
}

/** A database for the operator's command. Both dialects take the same SQL, with $1, $2 and so on for values. */
export interface Store {
  readonly dialect: Dialect
  /** What and where it is, without credentials. */
  readonly place: string
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /**
   * Runs statements in order, all or none of them.
   * @throws LostAnswer if either is possible; another CommandError if none ran
   */
  transaction(statements: readonly Statement[]): Promise<void>
  close(): Promise<void>
}

/** The store did not say whether it made a transaction. It may have been made, or can still be. */
export class LostAnswer extends CommandError {}

/** Rows per statement, far below D1's limits: 100 values, and 2 MB for one of them. */
const chunkSize = 500

/** Returns rows as JSON lists that fit into one statement each. */
export function jsonParts(rows: readonly object[]): readonly string[] {
  const count = Math.ceil(rows.length / chunkSize)
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify(rows.slice(index * chunkSize, (index + 1) * chunkSize)),
  )
}

/**
 * Returns SQL for a row source `r` that reads a JSON list of objects from a placeholder: one value for any number of rows.
 * @param columns names and their types in PostgreSQL
 */
export function jsonRows(
  dialect: Dialect,
  placeholder: string,
  columns: Readonly<Record<string, 'text' | 'boolean'>>,
): string {
  const names = Object.keys(columns)
  if (dialect === 'postgres') {
    const typed = names.map(name => `"${name}" ${columns[name]}`).join(', ')
    return `json_to_recordset(CAST(${placeholder} AS json)) AS r(${typed})`
  }
  const read = names.map(name => `json_extract(value, '$.${name}') AS "${name}"`).join(', ')
  return `(SELECT ${read} FROM json_each(${placeholder})) AS r`
}
