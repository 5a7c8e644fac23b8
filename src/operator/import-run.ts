import { randomUUID } from 'node:crypto'
import { endStagedSessions } from './administration.ts'
import { type Recorder, record, UnknownOutcome } from './audit.ts'
import { bindAll, type PlannedBinding } from './import-bindings.ts'
import type { PlannedChange } from './import-file.ts'
import { inChunks, jsonRows } from './json-rows.ts'
import type { Store } from './store.ts'

/** How long the rows of an interrupted import are kept, in milliseconds. */
const keepStagedMs = 24 * 3_600_000

const upsert = `
  INSERT INTO employees (id, user_name, is_active, is_admin)
  SELECT id, user_name, is_active, is_admin FROM homeport_import WHERE run = $1
  ON CONFLICT (id) DO UPDATE SET
    user_name = excluded.user_name, is_active = excluded.is_active, is_admin = excluded.is_admin`

/**
 * Frees the names of employees who get another, so that two can swap theirs: both stores compare names after each row. The
 * blank makes the names in between unlike any that an employee can have; ids that differ only in case stay apart.
 */
function freeNames(dialect: Store['dialect']): string {
  const code = dialect === 'postgres' ? "encode(convert_to(id, 'UTF8'), 'hex')" : 'hex(id)'
  return `UPDATE employees SET user_name = 'renamed ' || ${code} WHERE EXISTS (
    SELECT 1 FROM homeport_import i WHERE i.run = $1 AND i.id = employees.id AND i.user_name <> employees.user_name)`
}

/**
 * Makes planned changes: stages them, then changes the employees in one transaction, so that nothing is half done. Ends the
 * earlier sessions of everybody whom it deactivates or activates.
 */
export async function runImport(
  recorder: Recorder,
  changes: readonly PlannedChange[],
  bindings: readonly PlannedBinding[],
): Promise<void> {
  const { store, now } = recorder
  const run = randomUUID()
  const dropStaged = () =>
    store.query('DELETE FROM homeport_import WHERE run = $1 OR started_at < $2', [run, now() - keepStagedMs])
  const rows = jsonRows(store.dialect, '$3', {
    id: 'text',
    user_name: 'text',
    is_active: 'boolean',
    is_admin: 'boolean',
  })
  let canArrive = false
  try {
    for (const part of inChunks(changes)) {
      const staged = part.map(({ id, userName, isActive, isAdmin }) => ({
        id,
        user_name: userName,
        is_active: isActive,
        is_admin: isAdmin,
      }))
      await store.query(
        `INSERT INTO homeport_import (run, started_at, id, user_name, is_active, is_admin)
         SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), r.id, r.user_name, r.is_active, r.is_admin FROM ${rows}`,
        [run, now(), JSON.stringify(staged)],
      )
    }
    const changed = changes.map(({ id, kind, detail }) => ({
      action: `import ${kind}`,
      employeeId: id,
      detail,
    }))
    const bound = bindings.map(({ id, userName, objectId }) => ({
      action: 'import bind',
      employeeId: id,
      detail: `${userName} to ${objectId}`,
    }))
    await record(recorder, [...changed, ...bound], () => [
      // Of employees whom the import activates, no session from before comes back (ASVS 5.0 7.4.2).
      endStagedSessions(run, now()),
      { sql: freeNames(store.dialect), values: [run] },
      { sql: upsert, values: [run] },
      ...bindAll(store.dialect, bindings, now()),
      endStagedSessions(run, now()),
    ])
  } catch (error) {
    canArrive = error instanceof UnknownOutcome
    throw error
  } finally {
    // A transaction that can still arrive needs its rows. Rows left behind change nothing, and a later import drops them.
    if (!canArrive) await dropStaged().catch(() => undefined)
  }
}
