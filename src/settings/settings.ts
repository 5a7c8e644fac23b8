import type { FullReading } from '../../lib/reading.ts'
import { type Environment, readTable } from '../../lib/settings/table.ts'
import { type Settings, table } from './table.ts'

/** Reads every setting that both runtimes have. Returns all of them, or every problem at once. */
export function readSettings(env: Environment): FullReading<Settings> {
  return readTable(table, env)
}
