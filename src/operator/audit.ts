import { CommandError } from '../../lib/command.ts'
import type { LogEntry } from '../http/log.ts'
import { jsonParts, jsonRows, LostAnswer, type Statement, type Store } from './store.ts'
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
}

/** Makes a change, records it, and says that it is done. In a dry run, only says what is planned. */
export async function change(
  work: Work,
  change: Change,
  planned: string,
  done: string,
  statements: readonly Statement[],
) {
  if (!work.options['dry-run']) await record(work, [change], statements)
  work.line(work.options['dry-run'] ? `Would ${planned}.` : `${done}.`)
}

/**
 * Makes changes and records them, in one transaction: the store has both or neither. Logs each change too, without its detail.
 * @param statements make the changes
 * @throws CommandError if nothing was changed, or if the answer was lost and it is unknown whether something was
 */
export async function record(
  { store, operator, now, log }: Pick<Work, 'store' | 'operator' | 'now' | 'log'>,
  changes: readonly Change[],
  statements: readonly Statement[],
): Promise<void> {
  const at = now()
  const rows = jsonRows(store.dialect, '$3', { action: 'text', employeeId: 'text', detail: 'text' })
  const insert = `INSERT INTO homeport_audit (at, operator, action, employee_id, detail)
    SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), r.action, r."employeeId", r.detail FROM ${rows}`
  function logChanges(level: LogEntry['level'], outcome?: 'unknown'): void {
    for (const { action, employeeId } of changes) {
      const employee = employeeId ?? undefined
      log({ level, event: 'change', operator, change: action, employeeId: employee, outcome })
    }
  }
  const inserts = jsonParts(changes).map(part => ({ sql: insert, values: [at, operator, part] }))
  try {
    await store.transaction([...statements, ...inserts])
  } catch (error) {
    if (!(error instanceof LostAnswer)) throw error
    logChanges('warning', 'unknown')
    throw new CommandError(
      `${error.message} The change may have been made, or can still arrive for half a minute. Run \`audit\` after that. If it does not list the change, repeat the command.`,
      { cause: error },
    )
  }
  logChanges('info')
}

/** Returns the latest changes, newest first. */
export async function listChanges(store: Store, limit: number): Promise<readonly RecordedChange[]> {
  const rows = await store.query(
    `SELECT at, operator, action, employee_id AS "employeeId", detail
     FROM homeport_audit ORDER BY at DESC, employee_id LIMIT ${limit}`,
  )
  // PostgreSQL's driver returns a BIGINT as text.
  return rows.map(row => ({ ...(row as unknown as RecordedChange), at: Number(row['at']) }))
}
