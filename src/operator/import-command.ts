import { readFile } from 'node:fs/promises'
import { CommandError } from '../../lib/command.ts'
import { printable } from '../../lib/quote.ts'
import { counted } from '../employees/counted.ts'
import { foldName } from '../employees/user-names.ts'
import { endSessionsOf, type ListedEmployee, listEmployees } from './administration.ts'
import { record } from './audit.ts'
import { type PlannedChange, planImport, readEmployeesFile } from './import-file.ts'
import { jsonParts, jsonRows } from './store.ts'
import type { CommandOptions, Work } from './work.ts'

/** Maximum problems or employees to print in a refusal. */
const maxListed = 100

/** Imports a file of employees. Throws, before it changes anything, if the file has problems or needs a confirmation. */
export async function importFile(work: Work, [file = '']: readonly string[]): Promise<void> {
  const { store, options, line } = work
  const dryRun = options['dry-run'] === true
  const shown = printable(file)
  const existing = await listEmployees(store)
  const rows = readEmployeesFile(await readBytes(file))
  const reading = 'problems' in rows ? rows : planImport(rows.value, existing, options.missing !== undefined)
  if ('problems' in reading) {
    const title = `${shown} has ${counted(reading.problems.length, 'problem')}. Nothing was changed.`
    throw new CommandError([title, ...truncated(reading.problems)].join('\n'))
  }
  const { changes, unchanged } = reading.value
  if (dryRun) {
    for (const { kind, userName, id, before, detail } of changes)
      line(`Would ${kind} ${printable(`${before?.userName ?? userName} (${id}): ${detail}`)}.`)
  }
  const questions = questionsOf(changes, existing, options).map(text => `${shown} ${text}`)
  if (questions.length > 0) throw new CommandError(questions.join('\n'), { status: 3 })
  if (!dryRun && changes.length > 0) await runImport(work, changes)
  const count = (wanted: string) => changes.filter(({ kind }) => kind === wanted).length
  const missing = options.missing ? `, ${count('deactivate')} not in the file deactivated` : ''
  const summary = `${count('add')} added, ${count('update')} updated, ${unchanged} unchanged${missing}`
  line(`${dryRun ? 'Would import' : 'Imported'} ${shown}: ${summary}.`)
}

/** Changes per transaction in D1. A request has half a minute, in which 100,000 are not made. */
const maxD1Changes = 5000

/**
 * Makes planned changes, in PostgreSQL in one transaction, so that nothing is half done. In D1, another import completes what a
 * failure left. Ends the earlier sessions of everybody whom it deactivates or activates.
 */
async function runImport(work: Work, changes: readonly PlannedChange[]): Promise<void> {
  const { dialect } = work.store
  const types = { id: 'text', userName: 'text', isActive: 'boolean', isAdmin: 'boolean' } as const
  const rows = jsonRows(dialect, '$1', types)
  // Two employees can swap names, which both stores compare after each row. So whose name another one gets is first given one
  // that nobody can have, for its blank; ids that differ only in case stay apart.
  const code = dialect === 'postgres' ? "encode(convert_to(id, 'UTF8'), 'hex')" : 'hex(id)'
  const freeNamesSql = `UPDATE employees SET user_name = 'renamed ' || ${code} WHERE id IN (SELECT r.id FROM ${rows})`
  // SQLite would take ON for a condition of the join if there were no WHERE.
  const upsertSql = `
    INSERT INTO employees (id, user_name, is_active, is_admin)
    SELECT r.id, r."userName", r."isActive", r."isAdmin" FROM ${rows} WHERE true
    ON CONFLICT (id) DO UPDATE SET
      user_name = excluded.user_name, is_active = excluded.is_active, is_admin = excluded.is_admin`
  // At this moment, and not as listed: an employee who is inactive before keeps no session, even if activated (ASVS 5.0 7.4.2).
  const inactiveSql = `SELECT e.id FROM ${jsonRows(dialect, '$3', { id: 'text' })} JOIN employees e ON e.id = r.id WHERE NOT e.is_active`
  const partsOf = (some: readonly PlannedChange[]) =>
    jsonParts(some.map(({ id, userName, isActive, isAdmin }) => ({ id, userName, isActive, isAdmin })))
  const endInactive = (some: readonly PlannedChange[]) =>
    partsOf(some).map(part => endSessionsOf(inactiveSql, work.now(), part))
  const getters = new Map(changes.map(({ id, userName }) => [foldName(userName), id]))
  const passedOn = changes.filter(({ id, before }) => {
    const getter = before && getters.get(foldName(before.userName))
    return getter !== undefined && getter !== id
  })
  const size = dialect === 'd1' ? maxD1Changes : changes.length
  for (let made = 0; made < changes.length; made += size) {
    const part = changes.slice(made, made + size)
    const recorded = part.map(({ id, kind, detail }) => ({
      action: `import ${kind}`,
      employeeId: id,
      detail,
    }))
    const freed = made === 0 ? partsOf(passedOn) : []
    try {
      await record(work, recorded, [
        ...endInactive(part.filter(({ before }) => before)),
        ...freed.map(part => ({ sql: freeNamesSql, values: [part] })),
        ...partsOf(part).map(part => ({ sql: upsertSql, values: [part] })),
        ...endInactive(part.filter(({ isActive }) => !isActive)),
      ])
    } catch (error) {
      if (made === 0 || !(error instanceof CommandError)) throw error
      throw new CommandError(
        `${error.message} ${made} of ${changes.length} changes were made. Import the file again to make the others. Until then, some of these people may be unable to sign in.`,
        { cause: error },
      )
    }
  }
}

/** Returns what the operator must confirm, and how: changes that a wrong file makes, and that lock people out. */
function questionsOf(
  changes: readonly PlannedChange[],
  existing: readonly ListedEmployee[],
  { rename, 'max-missing': maxMissing }: CommandOptions,
): readonly string[] {
  const questions: string[] = []
  // A name that differs only in case or composition still matches the account.
  const boundRenames = changes.filter(
    ({ before, userName }) => before?.boundTo && foldName(before.userName) !== foldName(userName),
  )
  if (boundRenames.length > 0 && !rename) {
    questions.push(
      [
        `renames ${counted(boundRenames.length, 'bound employee')}. Nothing was changed.`,
        ...truncated(
          boundRenames.map(({ id, before, userName }) => `${before?.userName} (${id}) to ${userName}`),
        ),
        'They can then sign in only with an address of the new name. If it is theirs, add --rename. If an id now belongs to somebody else, run `unbind` with the old name first.',
      ].join('\n'),
    )
  }
  const missing = changes.filter(({ kind }) => kind === 'deactivate')
  const active = existing.filter(({ isActive }) => isActive).length
  if (missing.length > Number(maxMissing ?? active / 2)) {
    questions.push(
      [
        `lacks ${missing.length} of ${counted(active, 'active employee')}. Nothing was changed.`,
        ...truncated(missing.map(({ id, userName }) => `${userName} (${id})`)),
        `If all of them are to be deactivated, add --max-missing ${missing.length}.`,
      ].join('\n'),
    )
  }
  return questions
}

/** Returns lines that can be printed, and how many were left out. */
function truncated(lines: readonly string[]): readonly string[] {
  const more = lines.length > maxListed ? [`and ${lines.length - maxListed} more.`] : []
  return [...lines.slice(0, maxListed).map(printable), ...more]
}

function readBytes(file: string): Promise<Uint8Array> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${printable(file)} cannot be read (${error.code ?? error.name}). Check its path.`)
  })
}
