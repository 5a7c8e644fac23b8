import { readFile } from 'node:fs/promises'
import { counted, printable } from '../employees/printable.ts'
import { type ListedEmployee, listEmployees } from './administration.ts'
import type { Recorder } from './audit.ts'
import { type PlannedBinding, planBindings, readBindings } from './import-bindings.ts'
import { decodeFile, type Encoding } from './import-encoding.ts'
import { type ImportPlan, type ImportReading, planImport, readEmployeesFile } from './import-file.ts'
import { runImport } from './import-run.ts'
import { NeedsConfirmation, OperatorError } from './store.ts'

export interface ImportOptions {
  readonly encoding?: Encoding
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
  const bytes = await readBytes(file)
  const existing = await listEmployees(recorder.store)
  const reading = planFile(bytes, existing, await readBindings(recorder.store), options)
  if ('problems' in reading) {
    throw new OperatorError(
      [`${shown} has ${counted(reading.problems.length, 'problem')}. Nothing was changed.`]
        .concat(atMost(reading.problems))
        .join('\n'),
    )
  }
  const plan = reading.value
  const { changes, unchanged, bindings } = plan
  if (dryRun) {
    for (const { kind, userName, id, before, detail } of changes)
      line(`Would ${kind} ${printable(`${before?.userName ?? userName} (${id}): ${detail}`)}.`)
    for (const { userName, objectId } of bindings) line(`Would bind ${printable(userName)} to ${objectId}.`)
  }
  const questions = questionsOf(plan, existing, options).map(text => `${shown} ${text}`)
  if (questions.length > 0) throw new NeedsConfirmation(questions.join('\n'))
  if (!dryRun && changes.length + bindings.length > 0) await runImport(recorder, changes, bindings)
  const count = (wanted: string) => changes.filter(({ kind }) => kind === wanted).length
  const missing = options.missing ? `, ${count('deactivate')} not in the file deactivated` : ''
  const bound = bindings.length > 0 ? `, ${bindings.length} bound` : ''
  const summary = `${count('add')} added, ${count('update')} updated, ${unchanged} unchanged${missing}${bound}`
  line(`${dryRun ? 'Would import' : 'Imported'} ${shown}: ${summary}.`)
}

function planFile(
  bytes: Uint8Array,
  existing: readonly ListedEmployee[],
  bound: ReadonlyMap<string, string>,
  { encoding = 'utf-8', missing }: ImportOptions,
): ImportReading<ImportPlan & { readonly bindings: readonly PlannedBinding[] }> {
  const decoded = decodeFile(bytes, encoding)
  if ('problems' in decoded) return decoded
  const read = readEmployeesFile(decoded.value)
  if ('problems' in read) return read
  const plan = planImport(read.value, existing, missing === 'deactivate')
  const bindings = planBindings(read.value, bound)
  if ('problems' in plan) {
    return { problems: [...plan.problems, ...('problems' in bindings ? bindings.problems : [])] }
  }
  return 'problems' in bindings ? bindings : { value: { ...plan.value, bindings: bindings.value } }
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
      [`renames ${counted(boundRenames.length, 'bound employee')}. Nothing was changed.`]
        .concat(
          atMost(
            boundRenames.map(({ id, before, userName }) =>
              printable(`${before?.userName} (${id}) to ${userName}`),
            ),
          ),
          'They can then sign in only with an address of the new name. If it is theirs, add --rename. If an id now belongs to somebody else, run `unbind` with the old name first.',
        )
        .join('\n'),
    )
  }
  const missing = changes.filter(({ kind }) => kind === 'deactivate')
  const active = existing.filter(({ isActive }) => isActive).length
  if (missing.length > (maxMissing ?? active / 2)) {
    questions.push(
      [`lacks ${missing.length} of ${counted(active, 'active employee')}. Nothing was changed.`]
        .concat(
          atMost(missing.map(({ id, userName }) => printable(`${userName} (${id})`))),
          `If all of them are to be deactivated, add --max-missing ${missing.length}.`,
        )
        .join('\n'),
    )
  }
  return questions
}

function atMost(lines: readonly string[]): readonly string[] {
  const more = lines.length > maxListed ? [`and ${lines.length - maxListed} more.`] : []
  return [...lines.slice(0, maxListed), ...more]
}

function readBytes(file: string): Promise<Uint8Array> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      `${printable(file)} cannot be read (${error.code ?? error.name}). Check its path.`,
    )
  })
}
