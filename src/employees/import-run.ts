import { randomUUID } from 'node:crypto'
import { endStagedSessions } from './administration.ts'
import { type Recorder, record } from './audit.ts'
import type { PlannedChange } from './import-file.ts'
import { inChunks, jsonRows } from './json-rows.ts'

/** How long the rows of an interrupted import are kept, in milliseconds. */
const keepStagedMs = 24 * 3_600_000

/**
 * Makes planned changes: stages them, then changes the employees by one statement, so that nothing is half done. Ends the
 * earlier sessions of everybody whom it deactivates or activates.
 */
export async function runImport(recorder: Recorder, changes: readonly PlannedChange[]): Promise<void> {
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
    const entries = changes.map(({ id, kind, detail }) => ({
      action: `import ${kind}`,
      employeeId: id,
      detail,
    }))
    await record(recorder, entries, async () => {
      // Of employees whom the import activates, no session from before comes back (ASVS 5.0 7.4.2).
      await endStagedSessions(store, run, now())
      await store.query(
        `INSERT INTO employees (id, user_name, is_active, is_admin)
         SELECT id, user_name, is_active, is_admin FROM homeport_import WHERE run = $1
         ON CONFLICT (id) DO UPDATE SET
           user_name = excluded.user_name, is_active = excluded.is_active, is_admin = excluded.is_admin`,
        [run],
      )
    })
    // Later than the change, so that no sign-in falls between the two.
    await endStagedSessions(store, run, now())
  } finally {
    // Rows left behind change nothing, and the next import drops them.
    await dropStaged().catch(() => undefined)
  }
}
