import { readFile } from 'node:fs/promises'
import { counted, printable } from '../employees/printable.ts'
import { endSessionsOfInactive, type ListedEmployee, listEmployees } from './administration.ts'
import { type Recorder, record } from './audit.ts'
import { type ImportPlan, type PlannedChange, planImport, readEmployeesFile } from './import-file.ts'
import { inChunks, jsonRows } from './json-rows.ts'
import { OperatorError } from './store.ts'

export interface ImportOptions {
  readonly rename?: boolean
  readonly missing?: 'deactivate'
  /** How many active employees the file can lack. */
  readonly maxMissing?: number
}

interface ImportWork {
  readonly recorder: Recorder
  readonly importOptions: ImportOptions
  readonly dryRun: boolean
  readonly line: (text: string) => void
}

/** Maximum problems or employees to print in a refusal. */
const maxListed = 100

/** Imports a file of employees. Throws, before it changes anything, if the file has problems or needs a confirmation. */
export async function importFile(work: ImportWork, file: string): Promise<void> {
  const { recorder, importOptions: options, dryRun, line } = work
  const shown = printable(file)
  const existing = await listEmployees(recorder.store)
  const rows = readEmployeesFile(await readBytes(file))
  const reading = 'problems' in rows ? rows : planImport(rows.value, existing, options.missing !== undefined)
  if ('problems' in reading) {
    const title = `${shown} has ${counted(reading.problems.length, 'problem')}. Nothing was changed.`
    throw new OperatorError([title, ...atMost(reading.problems)].join('\n'))
  }
  const { changes, unchanged } = reading.value
  if (dryRun) {
    for (const { kind, userName, id, before, detail } of changes)
      line(`Would ${kind} ${printable(`${before?.userName ?? userName} (${id}): ${detail}`)}.`)
  }
  const questions = questionsOf(reading.value, existing, options).map(text => `${shown} ${text}`)
  if (questions.length > 0) throw new OperatorError(questions.join('\n'), { status: 3 })
  if (!dryRun && changes.length > 0) await runImport(recorder, changes)
  const count = (wanted: string) => changes.filter(({ kind }) => kind === wanted).length
  const missing = options.missing ? `, ${count('deactivate')} not in the file deactivated` : ''
  const summary = `${count('add')} added, ${count('update')} updated, ${unchanged} unchanged${missing}`
  line(`${dryRun ? 'Would import' : 'Imported'} ${shown}: ${summary}.`)
}

/**
 * Makes planned changes in one transaction, so that nothing is half done. Ends the earlier sessions of everybody whom it
 * deactivates or activates.
 */
async function runImport(recorder: Recorder, changes: readonly PlannedChange[]): Promise<void> {
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

/** Returns what the operator must confirm, and how: changes that a wrong file makes, and that lock people out. */
function questionsOf(
  { changes, boundRenames }: ImportPlan,
  existing: readonly ListedEmployee[],
  { rename, maxMissing }: ImportOptions,
): readonly string[] {
  const questions: string[] = []
  if (boundRenames.length > 0 && !rename) {
    questions.push(
      [
        `renames ${counted(boundRenames.length, 'bound employee')}. Nothing was changed.`,
        ...atMost(
          boundRenames.map(({ id, before, userName }) => `${before?.userName} (${id}) to ${userName}`),
        ),
        'They can then sign in only with an address of the new name. If it is theirs, add --rename. If an id now belongs to somebody else, run `unbind` with the old name first.',
      ].join('\n'),
    )
  }
  const missing = changes.filter(({ kind }) => kind === 'deactivate')
  const active = existing.filter(({ isActive }) => isActive).length
  if (missing.length > (maxMissing ?? active / 2)) {
    questions.push(
      [
        `lacks ${missing.length} of ${counted(active, 'active employee')}. Nothing was changed.`,
        ...atMost(missing.map(({ id, userName }) => `${userName} (${id})`)),
        `If all of them are to be deactivated, add --max-missing ${missing.length}.`,
      ].join('\n'),
    )
  }
  return questions
}

/** Returns lines that can be printed, and how many were left out. */
function atMost(lines: readonly string[]): readonly string[] {
  const more = lines.length > maxListed ? [`and ${lines.length - maxListed} more.`] : []
  return [...lines.slice(0, maxListed).map(printable), ...more]
}

function readBytes(file: string): Promise<Uint8Array> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      `${printable(file)} cannot be read (${error.code ?? error.name}). Check its path.`,
    )
  })
}
