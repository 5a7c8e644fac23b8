import { randomUUID } from 'node:crypto'
import { readD1Facts } from '../employees/d1-check.ts'
import { readPostgresFacts } from '../employees/postgres-check.ts'
import { counted, printable } from '../employees/printable.ts'
import { readIds } from '../employees/rows.ts'
import { judgeSharedIds, sharedIdsQuery } from '../employees/shared-ids.ts'
import { isReadable, judgeStore } from '../employees/store-check.ts'
import { isGuid } from '../settings/guid.ts'
import {
  addEmployee,
  bindEmployee,
  endAllSessions,
  endSessions,
  findBinding,
  findEmployee,
  findRecord,
  listEmployees,
  requireFreeId,
  requireFreeName,
  requireObjectId,
  requireOwnEmployees,
  requireUnbound,
  setFlag,
  unbindAll,
  unbindEmployee,
} from './administration.ts'
import { type Change, listChanges, type Recorder, record, settleEarlier } from './audit.ts'
import { exportFile } from './import-bindings.ts'
import { type ImportOptions, importFile } from './import-command.ts'
import { judgeLostLetters, lostLettersQuery } from './lost-letters.ts'
import {
  applyMigration,
  pendingMigrations,
  readSchema,
  requireMigrated,
  type Schema,
  sqlOf,
} from './migrations.ts'
import { OperatorError, type Statement, type Store } from './store.ts'
import { repairStore } from './store-repair.ts'

export interface CommandOptions {
  readonly 'dry-run'?: boolean
  readonly 'existing-employees'?: boolean
  readonly all?: boolean
  readonly admin?: boolean
  readonly json?: boolean
  readonly id?: string
}

/** What a command works with. */
export interface CommandContext {
  readonly recorder: Recorder
  readonly options: CommandOptions
  readonly importOptions: ImportOptions
  /** Prints a line of the result. */
  readonly line: (text: string) => void
}

interface Work extends CommandContext {
  readonly store: Store
  readonly schema: Schema
  readonly dryRun: boolean
  /** Records a change and makes it, unless this is a dry run. */
  change(change: Change, make: () => readonly Statement[]): Promise<void>
  report(planned: string, done: string): void
}

type Command = (work: Work, names: readonly string[]) => Promise<void>

/** Maximum changes to print. */
const maxListed = 100

const commands: Readonly<Record<string, Command>> = {
  list: listAll,
  audit: showAudit,
  add,
  async import(work, [file = '']) {
    requireOwnEmployees(work.schema)
    await importFile(work, file)
  },
  export: async ({ store, line }) => line(exportFile(await listEmployees(store))),
  activate: (work, names) => setActive(work, names, true),
  deactivate: (work, names) => setActive(work, names, false),
  admin: setAdmin,
  bind,
  unbind,
  'end-sessions': end,
}

/** Runs a command. The caller has checked the number of arguments. */
export async function runCommand(
  command: string,
  names: readonly string[],
  context: CommandContext,
): Promise<void> {
  const { recorder, options, line } = context
  const { store } = recorder
  if (command === 'migrate') return migrate(store, options, line)
  if (command === 'check') return check(store, line)
  const dryRun = options['dry-run'] === true
  const work: Work = {
    ...context,
    store,
    schema: await requireMigrated(store),
    dryRun,
    async change(change, make) {
      if (!dryRun) await record(recorder, [change], make)
    },
    report: (planned, done) => line(dryRun ? `Would ${planned}.` : `${done}.`),
  }
  if (!dryRun) await settleEarlier(store, recorder.now())
  await commands[command]?.(work, names)
}

async function add(work: Work, [name = '']: readonly string[]): Promise<void> {
  const { store, options } = work
  requireOwnEmployees(work.schema)
  await requireFreeName(store, name)
  const id = options.id ?? randomUUID()
  await requireFreeId(store, id)
  const isAdmin = options.admin === true
  const detail = `user_name ${name}, is_active true, is_admin ${isAdmin}`
  await work.change({ action: 'add', employeeId: id, detail }, () => [
    addEmployee({ id, userName: name, isActive: true, isAdmin }),
  ])
  const added = `${printable(name)} (${id})${isAdmin ? ' as an administrator' : ''}`
  work.report(`add ${added}`, `Added ${added}`)
}

async function setActive(work: Work, [name = '']: readonly string[], active: boolean): Promise<void> {
  const { store, line } = work
  requireOwnEmployees(work.schema)
  const { id, isActive } = await findEmployee(store, name)
  const shown = printable(name)
  // An employee found inactive keeps no earlier session, even if activated later (ASVS 5.0 7.4.2).
  const endEarlier = () => endSessions(id, work.recorder.now())
  if (isActive === active) {
    if (!active)
      await work.change({ action: 'end-sessions', employeeId: id, detail: name }, () => [endEarlier()])
    return line(`${shown} is already ${active ? 'active' : 'inactive'}.`)
  }
  const action = active ? 'activate' : 'deactivate'
  await work.change({ action, employeeId: id, detail: name }, () => [
    setFlag(id, 'is_active', active),
    endEarlier(),
  ])
  if (active) work.report(`activate ${shown}`, `Activated ${shown}`)
  else
    work.report(`deactivate ${shown} and end every session`, `Deactivated ${shown} and ended every session`)
}

async function setAdmin(work: Work, [name = '', state = '']: readonly string[]): Promise<void> {
  const { store, line } = work
  requireOwnEmployees(work.schema)
  const { id, isAdmin } = await findEmployee(store, name)
  const wanted = state === 'on'
  const shown = printable(name)
  if (isAdmin === wanted) return line(`${shown} is ${wanted ? 'already' : 'not'} an administrator.`)
  await work.change({ action: `admin ${state}`, employeeId: id, detail: name }, () => [
    setFlag(id, 'is_admin', wanted),
  ])
  if (wanted) work.report(`make ${shown} an administrator`, `${shown} is now an administrator`)
  else work.report(`remove ${shown} as an administrator`, `${shown} is no longer an administrator`)
}

async function bind(work: Work, [name = '', account = '']: readonly string[]): Promise<void> {
  const { store, line, recorder } = work
  const objectId = requireObjectId(account)
  const employee = await findEmployee(store, name)
  const shown = printable(name)
  if (employee.boundTo === objectId) return line(`${shown} is already bound to ${objectId}.`)
  await requireUnbound(store, employee, objectId)
  const detail = `${name} to ${objectId}`
  await work.change({ action: 'bind', employeeId: employee.id, detail }, () => [
    bindEmployee(employee.id, objectId, recorder.now()),
  ])
  work.report(`bind ${shown} to ${objectId}`, `Bound ${shown} to ${objectId}`)
}

async function unbind(work: Work, names: readonly string[]): Promise<void> {
  const { store, line, recorder, options } = work
  if (options.all) {
    const [row] = await store.query('SELECT count(*) AS count FROM homeport_bindings')
    const employees = counted(Number(row?.['count']), 'employee')
    await work.change({ action: 'unbind', employeeId: null, detail: employees }, () =>
      unbindAll(recorder.now()),
    )
    return work.report(
      `unbind ${employees} and end their sessions`,
      `Unbound ${employees} and ended their sessions`,
    )
  }
  // Looks up every name before it removes the first binding.
  const found = []
  for (const name of new Set(names)) found.push(await findBound(store, name))
  for (const { owner, employeeId, account } of found) {
    if (account === null) {
      line(`${owner} is not bound.`)
      continue
    }
    await work.change({ action: 'unbind', employeeId, detail: `${owner} from ${account}` }, () =>
      unbindEmployee(employeeId, recorder.now()),
    )
    work.report(
      `unbind ${owner} from ${account} and end every session`,
      `Unbound ${owner} from ${account} and ended every session`,
    )
  }
}

async function end(work: Work, [name = '']: readonly string[]): Promise<void> {
  const { store, recorder } = work
  if (work.options.all) {
    await work.change({ action: 'end-sessions', employeeId: null, detail: 'everybody' }, () => [
      endAllSessions(recorder.now()),
    ])
    return work.report('end every session of everybody', 'Ended every session of everybody')
  }
  const { id } = (await findRecord(store, name)).employee
  const shown = printable(name)
  await work.change({ action: 'end-sessions', employeeId: id, detail: name }, () => [
    endSessions(id, recorder.now()),
  ])
  work.report(`end every session of ${shown}`, `Ended every session of ${shown}`)
}

async function showAudit({ store, options, line }: Work): Promise<void> {
  const changes = await listChanges(store, maxListed)
  if (options.json) return line(printable(JSON.stringify(changes)))
  for (const { at, operator, action, employeeId, detail, outcome } of changes) {
    const who = employeeId ?? 'everybody'
    const fields = [new Date(at).toISOString(), operator, action, who, detail, outcome ?? '-']
    line(fields.map(printable).join('\t'))
  }
  line(`${counted(changes.length, 'change')} in ${store.place}, newest first.`)
}

/** Finds whom to unbind: by user name or, if the employee's record is gone, by account. */
async function findBound(store: Store, nameOrAccount: string) {
  if (!isGuid(nameOrAccount)) {
    const { id, boundTo } = (await findRecord(store, nameOrAccount)).employee
    return { owner: printable(nameOrAccount), employeeId: id, account: boundTo }
  }
  const account = nameOrAccount.toLowerCase()
  const employeeId = await findBinding(store, account)
  if (employeeId === null) throw new OperatorError(`${account} is not bound to an employee.`)
  return { owner: `employee ${printable(employeeId)}`, employeeId, account }
}

async function migrate(store: Store, options: CommandOptions, line: CommandContext['line']): Promise<void> {
  const existing = options['existing-employees'] === true
  const schema = await readSchema(store)
  if (existing && schema.employees === 'missing') {
    throw new OperatorError(
      `${store.place} has no table or view employees(id, user_name, is_active, is_admin). Create it, then run this again.`,
    )
  }
  const pending = pendingMigrations(schema, !existing)
  if (pending.length === 0) return line(`${store.place}: the tables are up to date.`)
  for (const migration of pending) {
    if (options['dry-run']) {
      line(`-- Would create ${migration.title}:`)
      for (const statement of migration.statements[store.dialect]) line(`${statement};`)
    } else {
      await applyMigration(store, migration, Date.now())
      line(`${store.place}: created ${migration.title}.`)
    }
  }
}

/** Maximum employees whose flags `check` reads: in practice, all. */
const wholeSample = 10_000_000

/** Prints whether the handler can use a store, and the SQL that repairs it. Throws if it cannot. */
async function check(store: Store, line: CommandContext['line']): Promise<void> {
  const query = (sql: string) => store.query(sql)
  const facts = await (store.dialect === 'postgres'
    ? readPostgresFacts(query, wholeSample)
    : readD1Facts(query, wholeSample))
  const found = judgeStore(facts)
  const shared = isReadable(found) ? judgeSharedIds(readIds(await query(sharedIdsQuery(store.dialect)))) : []
  // A database in another encoding cannot hold U+FFFD, and refuses to look for it.
  const lost = isReadable(found) ? await query(lostLettersQuery).catch(() => []) : []
  const problems = [...found, ...shared, ...judgeLostLetters(lost)]
  // The handler's role may be unable to read which migrations ran. `judgeStore` reports its missing tables.
  const schema = await readSchema(store).catch(() => null)
  const pending = schema ? pendingMigrations(schema, false) : []
  const own = pending.map(({ title }) => `migrate has not created ${title}.`)
  const sql = [...(pending.length > 0 ? await grantsToCreate(store) : []), ...repairStore(facts, problems)]
  const made = pending.flatMap(migration => sqlOf(migration, store.dialect, Date.now()))
  sql.push(...new Set(made.map(text => `${text};`)))
  for (const { message } of problems) line(printable(message))
  for (const message of own) line(message)
  if (sql.length > 0) line(['', '-- SQL that repairs this:', ...sql].join('\n'))
  const broken = problems.filter(({ usable }) => !usable).length + own.length
  if (broken > 0) throw new OperatorError(`${store.place} has ${counted(broken, 'problem')}.`)
  line(`${store.place} can be used.`)
}

/** Returns the grant that `migrate` lacks: since PostgreSQL 15, not every role can create tables in the schema public. */
async function grantsToCreate({ dialect, query }: Store): Promise<readonly string[]> {
  if (dialect === 'd1') return []
  const [row] = await query(
    "SELECT quote_ident(current_schema()) AS schema, quote_ident(current_user) AS role, has_schema_privilege(current_schema(), 'CREATE') AS allowed",
  )
  return row?.['allowed'] === false ? [`GRANT CREATE ON SCHEMA ${row['schema']} TO ${row['role']};`] : []
}

async function listAll({ store, options, line }: Work): Promise<void> {
  const employees = await listEmployees(store)
  // The escapes are JSON's, so the document means the same.
  if (options.json) return line(printable(JSON.stringify(employees)))
  for (const { id, userName, isActive, isAdmin, boundTo } of employees) {
    const flags = [isActive ? 'active' : 'inactive', ...(isAdmin ? ['administrator'] : [])].join(', ')
    const binding = boundTo ? `bound to ${printable(boundTo)}` : 'not bound'
    line([printable(userName) || '(no user name)', printable(id), flags, binding].join('\t'))
  }
  line(`${counted(employees.length, 'employee')} in ${store.place}.`)
}
