import { randomUUID } from 'node:crypto'
import type { LogEntry } from '../http/log.ts'
import { inChunks, jsonRows } from './json-rows.ts'
import type { Store } from './store.ts'

/** A change by an operator. */
export interface Change {
  /** The command, and its state for one that has two: `admin on`. */
  readonly action: string
  /** Null for every employee. */
  readonly employeeId: string | null
  /** What was changed. Stays in the store, because it can contain names. */
  readonly detail: string
}

export interface RecordedChange extends Change {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly operator: string
}

/** Where changes are recorded, and who makes them. */
export interface Recorder {
  readonly store: Store
  /** Name of the operator's account. */
  readonly operator: string
  /** Unix time in milliseconds. */
  readonly now: () => number
  readonly log: (entry: LogEntry) => void
}

/**
 * Records changes, then makes them, so that a crash leaves no change unrecorded. Removes the record if they fail. Logs each
 * change too, without its detail.
 */
export async function record(
  { store, operator, now, log }: Recorder,
  changes: readonly Change[],
  make: () => Promise<void>,
): Promise<void> {
  const batch = randomUUID()
  const rows = jsonRows(store.dialect, '$4', { action: 'text', employee_id: 'text', detail: 'text' })
  try {
    for (const part of inChunks(changes)) {
      const listed = part.map(({ action, employeeId, detail }) => ({
        action,
        employee_id: employeeId,
        detail,
      }))
      await store.query(
        `INSERT INTO homeport_audit (batch, at, operator, action, employee_id, detail)
         SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT), r.action, r.employee_id, r.detail FROM ${rows}`,
        [batch, now(), operator, JSON.stringify(listed)],
      )
    }
    await make()
  } catch (error) {
    // The first failure is the one to report.
    await store.query('DELETE FROM homeport_audit WHERE batch = $1', [batch]).catch(() => undefined)
    throw error
  }
  for (const { action, employeeId } of changes) {
    log({ level: 'info', event: 'change', operator, change: action, employeeId: employeeId ?? undefined })
  }
}

/** Returns the latest changes, newest first. */
export async function listChanges(store: Store, limit: number): Promise<readonly RecordedChange[]> {
  const rows = await store.query(
    `SELECT at, operator, action, employee_id, detail FROM homeport_audit ORDER BY at DESC, employee_id LIMIT ${limit}`,
  )
  return rows.map(row => ({
    at: Number(row['at']),
    operator: String(row['operator']),
    action: String(row['action']),
    employeeId: row['employee_id'] === null ? null : String(row['employee_id']),
    detail: String(row['detail']),
  }))
}
