import type { FullReading } from '../reading.ts'
import { withSecretFiles } from '../secret-file.ts'
import { type ReadOptions, readTable, secretNamesOf, type Table, type ValuesOf } from './table.ts'

/**
 * Reads a table on Node, where NAME_FILE can name a file that has the secret NAME.
 * @returns also a warning for each of these files that every user of this host can read
 */
export function readTableWithFiles<const T extends Table>(
  table: T,
  env: Readonly<Record<string, string | undefined>>,
  { skipped = [], ...options }: ReadOptions = {},
): { readonly reading: FullReading<ValuesOf<T>>; readonly warnings: readonly string[] } {
  // A row of its own reads its file itself.
  const secrets = secretNamesOf(table).filter(name => table[`${name}_FILE`] === undefined)
  const files = withSecretFiles(env, secrets)
  const isLower = (name: string) => table[name]?.anyCase && !env[name]?.trim() && env[name.toLowerCase()]
  const nameOf = (name: string) => (isLower(name) ? name.toLowerCase() : name)
  const given = Object.fromEntries(Object.keys(table).map(name => [name, files.env[nameOf(name)]]))
  const reading = readTable(
    table,
    { ...files.env, ...given },
    { nameOf, ...options, skipped: [...files.unread, ...skipped] },
  )
  const problems = [...files.problems, ...('problems' in reading ? reading.problems : [])]
  return { reading: problems.length > 0 ? { problems } : reading, warnings: files.warnings }
}
