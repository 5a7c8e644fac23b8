import { randomUUID } from 'node:crypto'
import type { parseArgs } from 'node:util'
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
import { type Change, listChanges, type Recorder, record } from './audit.ts'
import { type ImportOptions, importFile } from './import-command.ts'
import { judgeLostLetters, lostLettersQuery } from './lost-letters.ts'
import { applyMigration, pendingMigrations, readSchema, requireMigrated } from './migrations.ts'
import { OperatorError, type Statement, type Store } from './store.ts'

export const optionNames = {
  'dry-run': { type: 'boolean' },
  'existing-employees': { type: 'boolean' },
  admin: { type: 'boolean' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  id: { type: 'string' },
  operator: { type: 'string' },
  store: { type: 'string' },
  rename: { type: 'boolean' },
  missing: { type: 'string' },
  'max-missing': { type: 'string' },
} as const

export type CommandOptions = ReturnType<typeof parseArgs<{ options: typeof optionNames }>>['values']

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
  readonly dryRun: boolean
  /** Records a change, makes it, and says that it is done. In a dry run, only says what is planned. */
  change(change: Change, planned: string, done: string, make: () => readonly Statement[]): Promise<void>
}

interface Command {
  /** Its arguments. */
  readonly takes: readonly string[]
  /** Whether the last argument can be repeated. */
  readonly many?: boolean
  /** Its options, besides those of every command. --all replaces the arguments. */
  readonly options?: readonly string[]
  /** What must be there: the tables that `migrate` creates by default, or also employees that this command can change. */
  readonly needs?: 'nothing' | 'own employees'
  readonly run: (work: Work, names: readonly string[]) => Promise<void>
}

export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    migrate: { takes: [], options: ['existing-employees'], needs: 'nothing', run: migrate },
    check: { takes: [], needs: 'nothing', run: check },
    list: { takes: [], options: ['json'], run: list },
    add: { takes: ['a NAME'], options: ['id', 'admin'], needs: 'own employees', run: add },
    import: {
      takes: ['a FILE'],
      options: ['rename', 'missing', 'max-missing'],
      needs: 'own employees',
      run: (work, [file = '']) => importFile(work, file),
    },
    deactivate: {
      takes: ['a NAME'],
      needs: 'own employees',
      run: (work, [name]) => setActive(work, name, false),
    },
    activate: {
      takes: ['a NAME'],
      needs: 'own employees',
      run: (work, [name]) => setActive(work, name, true),
    },
    admin: { takes: ['a NAME', 'on or off'], needs: 'own employees', run: setAdmin },
    bind: { takes: ['a NAME', 'an OBJECT-ID'], run: bind },
    unbind: { takes: ['a NAME or an OBJECT-ID'], many: true, options: ['all'], run: unbind },
    'end-sessions': { takes: ['a NAME'], options: ['all'], run: end },
    audit: { takes: [], options: ['json'], run: showAudit },
  }),
)

/** Maximum changes to print. */
const maxListed = 100

/** Runs a command. The caller has checked its arguments and options. */
export async function runCommand(
  { run, needs }: Command,
  names: readonly string[],
  context: CommandContext,
): Promise<void> {
  const { recorder, options, line } = context
  const { store } = recorder
  const dryRun = options['dry-run'] === true
  if (needs !== 'nothing') {
    const schema = await requireMigrated(store)
    if (needs === 'own employees') requireOwnEmployees(schema)
  }
  await run(
    {
      ...context,
      store,
      dryRun,
      async change(change, planned, done, make) {
        if (!dryRun) await record(recorder, [change], make)
        line(dryRun ? `Would ${planned}.` : `${done}.`)
      },
    },
    names,
  )
}

async function add(work: Work, [name = '']: readonly string[]): Promise<void> {
  const { store, options } = work
  await requireFreeName(store, name)
  const id = options.id ?? randomUUID()
  await requireFreeId(store, id)
  const isAdmin = options.admin === true
  const detail = `user_name ${name}, is_active true, is_admin ${isAdmin}`
  const added = `${printable(name)} (${id})${isAdmin ? ' as an administrator' : ''}`
  await work.change({ action: 'add', employeeId: id, detail }, `add ${added}`, `Added ${added}`, () => [
    addEmployee({ id, userName: name, isActive: true, isAdmin }),
  ])
}

async function setActive(work: Work, name = '', active: boolean): Promise<void> {
  const { id, isActive } = await findEmployee(work.store, name)
  const shown = printable(name)
  if (isActive && active) return work.line(`${shown} is already active.`)
  // An employee found inactive keeps no earlier session, even if activated later (ASVS 5.0 7.4.2).
  const endEarlier = () => endSessions(id, work.recorder.now())
  if (isActive === active) {
    const change = { action: 'end-sessions', employeeId: id, detail: name }
    const planned = `end every session of ${shown}, who is already inactive`
    return work.change(change, planned, `${shown} is already inactive. Ended every session`, () => [
      endEarlier(),
    ])
  }
  const [planned, done] = active
    ? [`activate ${shown}`, `Activated ${shown}`]
    : [`deactivate ${shown} and end every session`, `Deactivated ${shown} and ended every session`]
  const change = { action: active ? 'activate' : 'deactivate', employeeId: id, detail: name }
  await work.change(change, planned, done, () => [setFlag(id, 'is_active', active), endEarlier()])
}

async function setAdmin(work: Work, [name = '', state = '']: readonly string[]): Promise<void> {
  const { id, isAdmin } = await findEmployee(work.store, name)
  const wanted = state === 'on'
  const shown = printable(name)
  if (isAdmin === wanted) return work.line(`${shown} is ${wanted ? 'already' : 'not'} an administrator.`)
  const [planned, done] = wanted
    ? [`make ${shown} an administrator`, `${shown} is now an administrator`]
    : [`remove ${shown} as an administrator`, `${shown} is no longer an administrator`]
  await work.change({ action: `admin ${state}`, employeeId: id, detail: name }, planned, done, () => [
    setFlag(id, 'is_admin', wanted),
  ])
}

async function bind(work: Work, [name = '', account = '']: readonly string[]): Promise<void> {
  const { store, recorder } = work
  const objectId = requireObjectId(account)
  const employee = await findEmployee(store, name)
  const pair = `${printable(name)} to ${objectId}`
  if (employee.boundTo === objectId) return work.line(`${printable(name)} is already bound to ${objectId}.`)
  await requireUnbound(store, employee, objectId)
  const change = { action: 'bind', employeeId: employee.id, detail: `${name} to ${objectId}` }
  await work.change(change, `bind ${pair}`, `Bound ${pair}`, () => [
    bindEmployee(employee.id, objectId, recorder.now()),
  ])
}

async function unbind(work: Work, names: readonly string[]): Promise<void> {
  const { store, recorder, options } = work
  if (options.all) {
    const [row] = await store.query('SELECT count(*) AS count FROM homeport_bindings')
    const employees = counted(Number(row?.['count']), 'employee')
    return work.change(
      { action: 'unbind', employeeId: null, detail: employees },
      `unbind ${employees} and end their sessions`,
      `Unbound ${employees} and ended their sessions`,
      () => unbindAll(recorder.now()),
    )
  }
  // Looks up every name before it removes the first binding.
  const found = []
  for (const name of new Set(names)) found.push(await findBound(store, name))
  for (const { owner, employeeId, account } of found) {
    if (account === null) {
      work.line(`${owner} is not bound.`)
      continue
    }
    const pair = `${owner} from ${account}`
    await work.change(
      { action: 'unbind', employeeId, detail: pair },
      `unbind ${pair} and end every session`,
      `Unbound ${pair} and ended every session`,
      () => unbindEmployee(employeeId, recorder.now()),
    )
  }
}

async function end(work: Work, [name = '']: readonly string[]): Promise<void> {
  const { store, recorder, options } = work
  const id = options.all ? null : (await findRecord(store, name)).id
  const whom = id === null ? 'everybody' : name
  const what = `every session of ${printable(whom)}`
  const change = { action: 'end-sessions', employeeId: id, detail: whom }
  await work.change(change, `end ${what}`, `Ended ${what}`, () => [
    id === null ? endAllSessions(recorder.now()) : endSessions(id, recorder.now()),
  ])
}

async function showAudit({ store, options, line }: Work): Promise<void> {
  const changes = await listChanges(store, maxListed)
  if (options.json) return line(printable(JSON.stringify(changes)))
  for (const { at, operator, action, employeeId, detail, outcome } of changes) {
    const fields = [new Date(at).toISOString(), operator, action, employeeId ?? 'everybody', detail, outcome]
    line(fields.map(printable).join('\t'))
  }
  line(`${counted(changes.length, 'change')} in ${store.place}, newest first.`)
}

/** Finds whom to unbind: by user name or, if the employee's record is gone, by account. */
async function findBound(store: Store, nameOrAccount: string) {
  if (!isGuid(nameOrAccount)) {
    const { id, boundTo } = await findRecord(store, nameOrAccount)
    return { owner: printable(nameOrAccount), employeeId: id, account: boundTo }
  }
  const account = nameOrAccount.toLowerCase()
  const employeeId = await findBinding(store, account)
  if (employeeId === null) throw new OperatorError(`${account} is not bound to an employee.`)
  return { owner: `employee ${printable(employeeId)}`, employeeId, account }
}

async function migrate({ store, options, dryRun, line }: Work): Promise<void> {
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
    if (dryRun) {
      line(`-- Would create ${migration.title}:`)
      for (const statement of migration.statements) line(`${statement};`)
    } else {
      await applyMigration(store, migration, Date.now())
      line(`${store.place}: created ${migration.title}.`)
    }
  }
}

/** Maximum employees whose flags `check` reads: in practice, all. */
const wholeSample = 10_000_000

/** Prints whether the handler can use a store. Throws if it cannot. */
async function check({ store, line }: Work): Promise<void> {
  const query = (sql: string) => store.query(sql)
  const readFacts = store.dialect === 'postgres' ? readPostgresFacts : readD1Facts
  const found = judgeStore(await readFacts(query, wholeSample))
  const shared = isReadable(found) ? judgeSharedIds(readIds(await query(sharedIdsQuery(store.dialect)))) : []
  // A database in another encoding cannot hold U+FFFD, and refuses to look for it.
  const lost = isReadable(found) ? await query(lostLettersQuery).catch(() => []) : []
  const problems = [...found, ...shared, ...judgeLostLetters(lost)]
  // The handler's role may be unable to read which migrations ran. `judgeStore` reports its missing tables.
  const schema = await readSchema(store).catch(() => null)
  const pending = schema ? pendingMigrations(schema, false) : []
  for (const { message } of problems) line(printable(message))
  for (const { title } of pending) line(`migrate has not created ${title}.`)
  const broken = problems.filter(({ usable }) => !usable).length + pending.length
  if (broken > 0) throw new OperatorError(`${store.place} has ${counted(broken, 'problem')}.`)
  line(`${store.place} can be used.`)
}

async function list({ store, options, line }: Work): Promise<void> {
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
