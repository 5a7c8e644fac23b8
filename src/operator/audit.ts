import { randomUUID } from 'node:crypto'
import type { LogEntry } from '../http/log.ts'
import { inChunks, jsonRows } from './json-rows.ts'
import { OperatorError, type Statement, type Store } from './store.ts'

/** A change by an operator. */
export interface Change {
  /** The command, followed by the state if it has two: `admin on`. */
  readonly action: string
  /** Null for every employee. */
  readonly employeeId: string | null
  /** What was changed. Stays in the store, because it can contain names. */
  readonly detail: string
}

interface RecordedChange extends Change {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly operator: string
  /** Whether the change was made. */
  readonly outcome: 'unknown' | 'done' | 'not done'
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

/** Fails, and with it the transaction, if this command has meanwhile recorded that the change was not made. */
const finish =
  "UPDATE homeport_audit_outcomes SET outcome = CASE WHEN outcome = 'unknown' THEN 'done' END WHERE batch = $1"

/**
 * Records changes with an unknown outcome, then makes them and records that in one transaction. So a crash or a lost answer
 * leaves no change unrecorded, and the outcome in the store is never wrong. Logs each change too, without its detail.
 * @param make returns the statements that make the changes
 * @throws OperatorError if nothing was changed, or if the store did not answer and it stays unknown whether something was
 */
export async function record(
  { store, operator, now, log }: Recorder,
  changes: readonly Change[],
  make: () => readonly Statement[],
): Promise<void> {
  const batch = randomUUID()
  function logChanges(level: LogEntry['level'], outcome?: 'unknown'): void {
    for (const { action, employeeId } of changes) {
      const employee = employeeId ?? undefined
      log({ level, event: 'change', operator, change: action, employeeId: employee, outcome })
    }
  }
  try {
    await recordUnknown(store, batch, operator, changes, now())
    // Last, so that its lock keeps no other command waiting for long.
    await store.transaction([...make(), { sql: finish, values: [batch] }])
  } catch (error) {
    const made = await wasMade(store, batch).catch(() => null)
    if (made === false) throw error
    if (made === null) {
      logChanges('warning', 'unknown')
      const reason = error instanceof Error ? error.message : ''
      throw new OperatorError(
        `${reason} It is unknown whether the change was made. Run \`audit\` and \`list\` to look.`,
        { cause: error },
      )
    }
  }
  logChanges('info')
}

/** Records changes before they are made. */
async function recordUnknown(
  store: Store,
  batch: string,
  operator: string,
  changes: readonly Change[],
  at: number,
): Promise<void> {
  const source = jsonRows(store.dialect, '$4', { action: 'text', employee_id: 'text', detail: 'text' })
  const insert = `INSERT INTO homeport_audit (batch, at, operator, action, employee_id, detail)
    SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT), r.action, r.employee_id, r.detail FROM ${source}`
  const begin = {
    sql: "INSERT INTO homeport_audit_outcomes (batch, recorded_at, outcome) VALUES ($1, $2, 'unknown')",
    values: [batch, at],
  }
  for (const [index, part] of inChunks(changes).entries()) {
    const rows = part.map(({ action, employeeId, detail }) => ({ action, employee_id: employeeId, detail }))
    const values = [batch, at, operator, JSON.stringify(rows)]
    await store.transaction([...(index === 0 ? [begin] : []), { sql: insert, values }])
  }
}

/** Returns whether a failed attempt made its change. If it did not, a delayed request no longer can. */
async function wasMade(store: Store, batch: string): Promise<boolean> {
  await store.query(
    "UPDATE homeport_audit_outcomes SET outcome = 'not done' WHERE batch = $1 AND outcome = 'unknown'",
    [batch],
  )
  const rows = await store.query('SELECT outcome FROM homeport_audit_outcomes WHERE batch = $1', [batch])
  // Without a row, the change was not even recorded.
  return rows[0]?.['outcome'] === 'done'
}

/** Returns the latest changes, newest first. */
export async function listChanges(store: Store, limit: number): Promise<readonly RecordedChange[]> {
  const rows = await store.query(
    `SELECT a.at, a.operator, a.action, a.employee_id, a.detail, o.outcome
     FROM homeport_audit a JOIN homeport_audit_outcomes o ON o.batch = a.batch
     ORDER BY a.at DESC, a.employee_id LIMIT ${limit}`,
  )
  return rows.map(row => ({
    at: Number(row['at']),
    operator: String(row['operator']),
    action: String(row['action']),
    employeeId: row['employee_id'] === null ? null : String(row['employee_id']),
    detail: String(row['detail']),
    outcome: row['outcome'] as RecordedChange['outcome'],
  }))
}
