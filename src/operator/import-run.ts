import { endSessionsOfInactive } from './administration.ts'
import { type Recorder, record } from './audit.ts'
import type { PlannedChange } from './import-file.ts'
import { inChunks, jsonRows } from './json-rows.ts'

/**
 * Makes planned changes in one transaction, so that nothing is half done. Ends the earlier sessions of everybody whom it
 * deactivates or activates.
 */
export async function runImport(recorder: Recorder, changes: readonly PlannedChange[]): Promise<void> {
  const { dialect } = recorder.store
  const types = { id: 'text', user_name: 'text', is_active: 'boolean', is_admin: 'boolean' } as const
  const rows = jsonRows(dialect, '$1', types)
  // Two employees can swap names, which both stores compare after each row. So everybody gets a name in between that nobody
  // can have, for its blank; ids that differ only in case stay apart.
  const code = dialect === 'postgres' ? "encode(convert_to(id, 'UTF8'), 'hex')" : 'hex(id)'
  const freeNames = `UPDATE employees SET user_name = 'renamed ' || ${code} WHERE id IN (SELECT r.id FROM ${rows})`
  // SQLite would take ON for a condition of the join if there were no WHERE.
  const upsert = `
    INSERT INTO employees (id, user_name, is_active, is_admin)
    SELECT r.id, r.user_name, r.is_active, r.is_admin FROM ${rows} WHERE true
    ON CONFLICT (id) DO UPDATE SET
      user_name = excluded.user_name, is_active = excluded.is_active, is_admin = excluded.is_admin`
  const parts = inChunks(changes).map(part =>
    JSON.stringify(
      part.map(({ id, userName, isActive, isAdmin }) => ({
        id,
        user_name: userName,
        is_active: isActive,
        is_admin: isAdmin,
      })),
    ),
  )
  const recorded = changes.map(({ id, kind, detail }) => ({
    action: `import ${kind}`,
    employeeId: id,
    detail,
  }))
  await record(recorder, recorded, () => {
    const ended = parts.map(part =>
      endSessionsOfInactive(jsonRows(dialect, '$3', { id: 'text' }), part, recorder.now()),
    )
    return [
      // Of employees whom the import activates, no session from before comes back (ASVS 5.0 7.4.2).
      ...ended,
      ...parts.map(part => ({ sql: freeNames, values: [part] })),
      ...parts.map(part => ({ sql: upsert, values: [part] })),
      ...ended,
    ]
  })
}
