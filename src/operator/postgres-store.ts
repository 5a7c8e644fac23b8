import { createPool, readDatabaseUrl } from '../employees/postgres-pool.ts'
import { quoted } from '../employees/printable.ts'
import { OperatorError, type Store } from './store.ts'

/** Opens PostgreSQL for the operator's command. */
export function openPostgresStore(databaseUrl: string): Store {
  const reading = readDatabaseUrl(databaseUrl)
  if ('problem' in reading) throw new OperatorError(`DATABASE_URL ${reading.problem}`)
  const pool = createPool(databaseUrl)
  const url = URL.parse(databaseUrl)
  const place = url ? `PostgreSQL database ${url.pathname.slice(1)} on ${url.host}` : 'PostgreSQL'
  const failed = (error: unknown) => {
    throw new OperatorError(`${place} failed: ${quoted(messageOf(error))}.`, { cause: error })
  }
  return {
    dialect: 'postgres',
    place,
    query: (sql, values = []) => pool.query({ text: sql, values }).then(({ rows }) => rows, failed),
    transaction: statements =>
      pool.transaction(statements.map(({ sql, values = [] }) => ({ text: sql, values }))).catch(failed),
    close: () => pool.end(),
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  // A refused connection to several addresses has no message of its own.
  return error.message || ('code' in error ? String(error.code) : error.name)
}
