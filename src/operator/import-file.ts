import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { printable } from '../../lib/quote.ts'
import type { FullReading } from '../../lib/reading.ts'
import { decodeText } from '../../lib/text-file.ts'
import type { Employee } from '../employees/employee-store.ts'
import { foldName, idRule, isId, lostLetter, readUserName } from '../employees/user-names.ts'
import type { ListedEmployee } from './administration.ts'

/** A row of a file. A flag is null if the file has no such column. */
interface ImportedRow {
  readonly line: number
  readonly id: string
  readonly userName: string
  readonly isActive: boolean | null
  readonly isAdmin: boolean | null
}

/** An employee as the import leaves them, and what differs. */
export interface PlannedChange extends Employee {
  readonly kind: 'add' | 'update' | 'deactivate'
  /** Undefined for a new employee. */
  readonly before?: ListedEmployee | undefined
  readonly detail: string
}

const columns = ['id', 'user_name', 'is_active', 'is_admin'] as const
type Column = (typeof columns)[number]

/** What exports of PostgreSQL (t, f), of SQLite (1, 0) and of spreadsheets (TRUE, FALSE) contain, in any case. */
const flags = new Map(Object.entries({ true: true, t: true, 1: true, false: false, f: false, 0: false }))

/** How spreadsheets show a number of more than eleven digits. */
const shortened = /^\d+[.,]\d+E\+\d+$/i

/** What word processors write in place of straight quotes, and spreadsheets before them, to keep a number as text. */
const quoted = /^(?:[“”„«»]|=")|[“”«»]$/

/**
 * Reads a CSV file in UTF-8: a header, and one employee per line, with `id` and `user_name` and, optionally, `is_active` and
 * `is_admin`. Separators are commas, or the semicolons of spreadsheets. Returns every row, or every problem with its line.
 */
export function readEmployeesFile(bytes: Uint8Array): FullReading<readonly ImportedRow[]> {
  const decoded = decodeText(bytes)
  if ('problem' in decoded) {
    // Never guessed, since a wrong letter renames an employee.
    const lines = new TextDecoder().decode(bytes).split('\n')
    const line = Math.max(1, lines.findIndex(text => text.includes(lostLetter)) + 1)
    return {
      problems: [`line ${line}: is not UTF-8. Save the file as UTF-8 ("CSV UTF-8" in a spreadsheet).`],
    }
  }
  const text = decoded.value
  const [first = ''] = text.split('\n', 1)
  if (/^sep=/i.test(first))
    return { problems: ['line 1: is "sep=", which only spreadsheets read. Delete this line.'] }
  const delimiter = first.includes(';') && !first.includes(',') ? ';' : ','
  let records: readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[]
  try {
    // The types of csv-parse do not know that `info` wraps each record.
    records = parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as typeof records
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const lines = error['lines']
    return {
      problems: [`line ${lines}: is not CSV (${error.code}). Check its quotes, without = before them.`],
    }
  }
  const [header, ...body] = records
  if (!header) return { problems: ['line 1: the file is empty. Start with the columns id,user_name.'] }
  const fileColumns = header.record.map(name => {
    const plain = name.toLowerCase().replaceAll('_', '')
    return columns.find(column => column.replaceAll('_', '') === plain) ?? name
  })
  const headerProblems = [
    ...fileColumns
      .filter(name => !columns.includes(name as Column))
      .map(name => `has the column ${JSON.stringify(printable(name))}. Use only ${columns.join(', ')}.`),
    ...columns
      .filter(name => fileColumns.filter(other => other === name).length > 1)
      .map(name => `has the column ${name} twice. Remove one.`),
    ...(['id', 'user_name'] as const)
      .filter(name => !fileColumns.includes(name))
      .map(name => `has no column ${name}. Add it.`),
  ].map(problem => `line ${header.info.lines}: ${problem}`)
  if (headerProblems.length > 0) return { problems: headerProblems }

  const problems: string[] = []
  const ids = new Map<string, number>()
  const names = new Map<string, number>()
  const rows = body.map(({ record, info: { lines: line } }): ImportedRow => {
    function addProblem(problem: string): void {
      problems.push(`line ${line}: ${problem}`)
    }
    const textOf = (column: Column) => record[fileColumns.indexOf(column)] ?? ''
    const refuse = (column: Column, advice: string) =>
      addProblem(`${column} is ${JSON.stringify(printable(textOf(column)))}. ${advice}`)
    function flagOf(column: Column): boolean | null {
      if (!fileColumns.includes(column)) return null
      const flag = flags.get(textOf(column).toLowerCase())
      if (flag === undefined) refuse(column, 'Use true or false.')
      return flag ?? null
    }
    function firstTime(seen: Map<string, number>, key: string, what: string): void {
      const earlier = seen.get(key)
      if (earlier !== undefined)
        addProblem(`has the same ${what} as line ${earlier}. Give each a unique one.`)
      else seen.set(key, line)
    }
    const [id, userName] = [textOf('id'), textOf('user_name')]
    if (record.length !== fileColumns.length) {
      addProblem(`needs ${fileColumns.length} values, as many as the header, but has ${record.length}.`)
    }
    if (shortened.test(id))
      refuse('id', 'A spreadsheet cut digits off: format the column as text there, and export it again.')
    else if (!isId(id)) refuse('id', idRule)
    for (const column of ['id', 'user_name'] as const)
      if (quoted.test(textOf(column))) refuse(column, 'Remove the marks around it.')
    const name = readUserName(userName)
    if ('problem' in name) refuse('user_name', name.problem)
    firstTime(ids, id, 'id')
    firstTime(names, foldName(userName), 'user_name')
    return { line, id, userName, isActive: flagOf('is_active'), isAdmin: flagOf('is_admin') }
  })
  return problems.length > 0 ? { problems } : { value: rows }
}

/**
 * Compares a file with the employees. A new employee is active and not an administrator, unless the file says otherwise.
 * Employees can take the names of others to whom the same file gives another.
 * @param deactivateMissing whether employees who are not in the file are deactivated; otherwise they stay as they are
 */
export function planImport(
  rows: readonly ImportedRow[],
  existing: readonly ListedEmployee[],
  deactivateMissing: boolean,
): FullReading<{ readonly changes: readonly PlannedChange[]; readonly unchanged: number }> {
  const ids = new Set(rows.map(({ id }) => id))
  if (deactivateMissing && ids.size === 0) {
    return { problems: ['line 1: the file lists no employees, so everybody would be deactivated.'] }
  }
  const byId = new Map(existing.map(employee => [employee.id, employee]))
  const staying = existing.filter(({ id }) => !ids.has(id))
  const byName = new Map(staying.map(employee => [foldName(employee.userName), employee]))
  const problems: string[] = []
  const changes = rows.flatMap(({ line, id, userName, isActive, isAdmin }): PlannedChange[] => {
    const before = byId.get(id)
    const holder = byName.get(foldName(userName))
    if (holder) {
      problems.push(
        `line ${line}: user_name ${printable(userName)} belongs to ${printable(holder.id)}. Rename that employee first.`,
      )
    }
    const after: Employee = {
      id,
      userName,
      isActive: isActive ?? before?.isActive ?? true,
      isAdmin: isAdmin ?? before?.isAdmin ?? false,
    }
    const named = [
      ['user_name', 'userName'],
      ['is_active', 'isActive'],
      ['is_admin', 'isAdmin'],
    ] as const
    const differing = named.filter(([, key]) => before?.[key] !== after[key])
    if (differing.length === 0) return []
    const details = differing.map(
      ([name, key]) => `${name} ${before ? `${before[key]} to ` : ''}${after[key]}`,
    )
    return [{ ...after, kind: before ? 'update' : 'add', before, detail: details.join(', ') }]
  })
  if (problems.length > 0) return { problems }
  const missing = deactivateMissing ? staying.filter(({ isActive }) => isActive) : []
  const deactivated = missing.map(
    (before): PlannedChange => ({
      ...before,
      isActive: false,
      kind: 'deactivate',
      before,
      detail: 'is_active true to false (not in the file)',
    }),
  )
  return { value: { changes: [...changes, ...deactivated], unchanged: rows.length - changes.length } }
}
