import type { Store } from './store.ts'

/** Rows per request, far below D1's limits: 100 values, and 2 MB for one of them. */
const chunkSize = 500

/** Splits rows into parts that fit into one request each. */
export function inChunks<T>(rows: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(rows.length / chunkSize)
  return Array.from({ length: count }, (_, index) => rows.slice(index * chunkSize, (index + 1) * chunkSize))
}

/**
 * Returns SQL for a row source `r` that reads a JSON list of objects from a placeholder: one value for any number of rows.
 * @param columns names and their types in PostgreSQL
 */
export function jsonRows(
  dialect: Store['dialect'],
  placeholder: string,
  columns: Readonly<Record<string, 'text' | 'boolean'>>,
): string {
  const names = Object.keys(columns)
  if (dialect === 'postgres') {
    const typed = names.map(name => `${name} ${columns[name]}`).join(', ')
    return `json_to_recordset(CAST(${placeholder} AS json)) AS r(${typed})`
  }
  const read = names.map(name => `json_extract(value, '$.${name}') AS ${name}`).join(', ')
  return `(SELECT ${read} FROM json_each(${placeholder})) AS r`
}
