import { isId, readUserName } from '../employees/names.ts'
import { printable } from '../employees/printable.ts'
import type { ListedEmployee } from './administration.ts'
import { columns, type ImportedRow, type ImportReading } from './import-file.ts'
import { inChunks, jsonRows } from './json-rows.ts'
import { OperatorError, type Statement, type Store } from './store.ts'

/** An employee to bind to an account. */
export interface PlannedBinding {
  readonly id: string
  readonly userName: string
  readonly objectId: string
}

/** Returns the employee id that each account is bound to, even if the record is gone. */
export async function readBindings(store: Store): Promise<ReadonlyMap<string, string>> {
  const rows = await store.query('SELECT directory_id, employee_id FROM homeport_bindings')
  return new Map(rows.map(row => [String(row['directory_id']), String(row['employee_id'])]))
}

/** Compares the accounts in a file with the bindings. A binding is never replaced: that takes `unbind`. */
export function planBindings(
  rows: readonly ImportedRow[],
  bindings: ReadonlyMap<string, string>,
): ImportReading<readonly PlannedBinding[]> {
  const boundTo = new Map([...bindings].map(([account, employee]) => [employee, account]))
  const problems: string[] = []
  const planned = rows.flatMap(({ line, id, userName, objectId }): readonly PlannedBinding[] => {
    if (objectId === null || bindings.get(objectId) === id) return []
    const [owner, other] = [bindings.get(objectId), boundTo.get(id)]
    if (owner !== undefined)
      problems.push(`line ${line}: ${objectId} is bound to ${printable(owner)}. Unbind that employee first.`)
    if (other !== undefined)
      problems.push(`line ${line}: ${printable(userName)} is bound to ${other}. Unbind this employee first.`)
    return [{ id, userName, objectId }]
  })
  return problems.length > 0 ? { problems } : { value: planned }
}

/** Returns the statements that bind employees. */
export function bindAll(
  dialect: Store['dialect'],
  planned: readonly PlannedBinding[],
  now: number,
): readonly Statement[] {
  const rows = jsonRows(dialect, '$2', { id: 'text', object_id: 'text' })
  const sql = `INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by)
    SELECT r.id, r.object_id, CAST($1 AS BIGINT), 'operator' FROM ${rows}`
  return inChunks(planned).map(part => {
    const sent = JSON.stringify(part.map(({ id, objectId }) => ({ id, object_id: objectId })))
    return { sql, values: [now, sent] }
  })
}

/** Returns the employees and their bindings as a file that `import` takes. @throws OperatorError if it would refuse one */
export function exportFile(employees: readonly ListedEmployee[]): string {
  const lines = employees.map(({ id, userName, isActive, isAdmin, boundTo }) => {
    if (!isId(id) || 'problem' in readUserName(userName)) {
      throw new OperatorError(
        `The employee ${printable(userName)} (${printable(id)}) has a name or an id that import refuses. Fix it first.`,
      )
    }
    return [id, userName, isActive, isAdmin, boundTo ?? ''].map(value => quoted(String(value))).join(',')
  })
  return [columns.join(','), ...lines].join('\n')
}

/** Quotes a field where CSV needs it (RFC 4180), and where `import` would trim it. */
const quoted = (text: string): string => (/[",;\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
