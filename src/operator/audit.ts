import { randomUUID } from 'node:crypto'
import type { LogEntry } from '../http/log.ts'
import { jsonParts, jsonRows, OperatorError, type Statement, type Store } from './store.ts'
import type { Work } from './work.ts'

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

const begin = "INSERT INTO homeport_audit_outcomes (batch, recorded_at, outcome) VALUES ($1, $2, 'unknown')"

/** Fails, and with it the transaction, if this command has meanwhile recorded that the change was not made. */
const finish =
  "UPDATE homeport_audit_outcomes SET outcome = CASE WHEN outcome = 'unknown' THEN 'done' END WHERE batch = $1"

/** Records a change, makes it, and says that it is done. In a dry run, only says what is planned. */
export async function change(
  work: Work,
  change: Change,
  planned: string,
  done: string,
  make: () => readonly Statement[],
) {
  if (!work.options['dry-run']) await record(work, [change], make)
  work.line(work.options['dry-run'] ? `Would ${planned}.` : `${done}.`)
}

/**
 * Records changes with an unknown outcome, then makes them and records that in one transaction. So a crash or a lost answer
 * leaves no change unrecorded, and the outcome in the store is never wrong. Logs each change too, without its detail.
 * @param make returns the statements that make the changes
 * @throws OperatorError if nothing was changed, or if the store did not answer and it stays unknown whether something was
 */
export async function record(
  { store, operator, now, log }: Pick<Work, 'store' | 'operator' | 'now' | 'log'>,
  changes: readonly Change[],
  make: () => readonly Statement[],
): Promise<void> {
  const [batch, at] = [randomUUID(), now()]
  const rows = jsonRows(store.dialect, '$4', { action: 'text', employeeId: 'text', detail: 'text' })
  const insert = `INSERT INTO homeport_audit (batch, at, operator, action, employee_id, detail)
    SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT), r.action, r."employeeId", r.detail FROM ${rows}`
  function logChanges(level: LogEntry['level'], outcome?: 'unknown'): void {
    for (const { action, employeeId } of changes) {
      const employee = employeeId ?? undefined
      log({ level, event: 'change', operator, change: action, employeeId: employee, outcome })
    }
  }
  try {
    for (const [index, part] of jsonParts(changes).entries()) {
      const first = index === 0 ? [{ sql: begin, values: [batch, at] }] : []
      await store.transaction([...first, { sql: insert, values: [batch, at, operator, part] }])
    }
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
    `SELECT a.at, a.operator, a.action, a.employee_id AS "employeeId", a.detail, o.outcome
     FROM homeport_audit a JOIN homeport_audit_outcomes o ON o.batch = a.batch
     ORDER BY a.at DESC, a.employee_id LIMIT ${limit}`,
  )
  // PostgreSQL's driver returns a BIGINT as text.
  return rows.map(row => ({ ...(row as unknown as RecordedChange), at: Number(row['at']) }))
}
