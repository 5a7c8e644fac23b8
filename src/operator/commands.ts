import { randomUUID } from 'node:crypto'
import { CommandError, type Subcommand } from '../../lib/command.ts'
import { printable } from '../../lib/quote.ts'
import { isGuid } from '../../lib/settings/readers.ts'
import { counted } from '../employees/counted.ts'
import {
  endSessions,
  endSessionsOf,
  findBound,
  findEmployee,
  listEmployees,
  requireFree,
  setFlag,
} from './administration.ts'
import { change, listChanges } from './audit.ts'
import { importFile } from './import-command.ts'
import { inspectStore } from './inspect-store.ts'
import { applyMigration, pendingMigrations, readSchema, requireMigrated } from './migrations.ts'
import type { Work } from './work.ts'

/** One of the commands. Its options are those besides every command's; --all replaces the arguments. */
interface Command extends Subcommand {
  /** What must be there: the tables that `migrate` creates by default, or also employees that this command can change. */
  readonly needs?: 'nothing' | 'own employees'
  readonly run: (work: Work, names: readonly string[]) => Promise<void>
}

export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    migrate: { options: ['existing-employees'], needs: 'nothing', run: migrate },
    check: { needs: 'nothing', run: check },
    list: { options: ['json'], run: list },
    add: { takes: ['a NAME'], options: ['id', 'admin'], needs: 'own employees', run: add },
    import: {
      takes: ['a FILE'],
      options: ['rename', 'missing', 'max-missing'],
      needs: 'own employees',
      run: importFile,
    },
    deactivate: { takes: ['a NAME'], needs: 'own employees', run: setActive(false) },
    activate: { takes: ['a NAME'], needs: 'own employees', run: setActive(true) },
    admin: { takes: ['a NAME', 'on or off'], needs: 'own employees', run: setAdmin },
    bind: { takes: ['a NAME', 'an OBJECT-ID'], run: bind },
    unbind: { takes: ['a NAME or an OBJECT-ID'], many: true, options: ['all'], run: unbind },
    'end-sessions': { takes: ['a NAME'], options: ['all'], run: end },
    audit: { options: ['json'], run: showAudit },
  }),
)

/** Maximum changes to print. */
const maxListed = 100

/** Runs a command. The caller has checked its arguments and options. */
export async function runOnStore(
  { run, needs }: Command,
  names: readonly string[],
  work: Work,
): Promise<void> {
  if (needs !== 'nothing') {
    const { employees } = await requireMigrated(work.store)
    // HR's records belong to HR.
    if (needs === 'own employees' && employees === 'provided') {
      throw new CommandError(
        'The employees are in a table or view that this command did not create and does not write. Change them at their source.',
      )
    }
  }
  await run(work, names)
}

async function add(work: Work, [name = '']: readonly string[]): Promise<void> {
  const { id = randomUUID(), admin = false } = work.options
  await requireFree(work.store, name, id)
  const detail = `user_name ${name}, is_active true, is_admin ${admin}`
  const added = `${printable(name)} (${id})${admin ? ' as an administrator' : ''}`
  await change(work, { action: 'add', employeeId: id, detail }, `add ${added}`, `Added ${added}`, [
    {
      sql: `INSERT INTO employees (id, user_name, is_active, is_admin) VALUES ($1, $2, true, ${admin})`,
      values: [id, name],
    },
  ])
}

function setActive(active: boolean): Command['run'] {
  return async (work, [name = '']) => {
    const { id, isActive } = await findEmployee(work.store, name)
    const shown = printable(name)
    if (isActive && active) return work.line(`${shown} is already active.`)
    // An employee found inactive keeps no earlier session, even if activated later (ASVS 5.0 7.4.2).
    const statements = [setFlag(id, 'is_active', active), endSessions(id, work.now())]
    const make = (action: string, planned: string, done: string) =>
      change(work, { action, employeeId: id, detail: name }, planned, done, statements)
    const ends = 'and end every session'
    const ended = 'and ended every session'
    if (active) return make('activate', `activate ${shown}`, `Activated ${shown}`)
    if (isActive) return make('deactivate', `deactivate ${shown} ${ends}`, `Deactivated ${shown} ${ended}`)
    const isOver = `${shown} is already inactive`
    return make('end-sessions', `end every session: ${isOver}`, `${isOver}. Ended every session`)
  }
}

async function setAdmin(work: Work, [name = '', state = '']: readonly string[]): Promise<void> {
  const { id, isAdmin } = await findEmployee(work.store, name)
  const wanted = state === 'on'
  const shown = printable(name)
  if (isAdmin === wanted) return work.line(`${shown} is ${wanted ? 'already' : 'not'} an administrator.`)
  const [planned, done] = wanted
    ? [`make ${shown} an administrator`, `${shown} is now an administrator`]
    : [`remove ${shown} as an administrator`, `${shown} is no longer an administrator`]
  await change(work, { action: `admin ${state}`, employeeId: id, detail: name }, planned, done, [
    setFlag(id, 'is_admin', wanted),
  ])
}

async function bind(work: Work, [name = '', account = '']: readonly string[]): Promise<void> {
  // The account of examples has zeros.
  if (!isGuid(account) || /^0{8}-.*-0{12}$/.test(account)) {
    throw new CommandError(
      `"${printable(account)}" is not an Object ID. Copy it from the user's page in Entra.`,
    )
  }
  const objectId = account.toLowerCase()
  const { id, boundTo, sharesId } = await findEmployee(work.store, name)
  const shown = printable(name)
  if (sharesId) {
    throw new CommandError(
      `${shown} shares the id ${printable(id)} with a different record. Give each record an id of its own. \`check\` lists such ids.`,
    )
  }
  if (boundTo === objectId) return work.line(`${shown} is already bound to ${objectId}.`)
  const holder = await findBound(work.store, objectId)
  if (holder) {
    const [owner, target] =
      holder.userName === null
        ? [`employee ${printable(holder.id)}, whose record is gone`, objectId]
        : [printable(holder.userName), printable(holder.userName)]
    throw new CommandError(`${objectId} is already bound to ${owner}. Run \`unbind ${target}\` first.`)
  }
  if (boundTo)
    throw new CommandError(`${shown} is already bound to ${boundTo}. Run \`unbind ${shown}\` first.`)
  const detail = `${name} to ${objectId}`
  const pair = printable(detail)
  await change(work, { action: 'bind', employeeId: id, detail }, `bind ${pair}`, `Bound ${pair}`, [
    {
      sql: "INSERT INTO homeport_bindings (employee_id, directory_id, bound_at, bound_by) VALUES ($1, $2, $3, 'operator')",
      values: [id, objectId, work.now()],
    },
  ])
}

/** Removes bindings, and ends the sessions of everybody who had one, since the old binding is no longer trusted. */
async function unbind(work: Work, names: readonly string[]): Promise<void> {
  const { store, now, options } = work
  if (options.all) {
    const [row] = await store.query('SELECT count(*) AS count FROM homeport_bindings')
    const detail = counted(Number(row?.['count']), 'employee')
    const [planned, done] = [
      `unbind ${detail} and end their sessions`,
      `Unbound ${detail} and ended their sessions`,
    ]
    return change(work, { action: 'unbind', employeeId: null, detail }, planned, done, [
      // The sessions first: afterwards nobody is bound. One that starts in between ends with its binding.
      endSessionsOf('SELECT employee_id AS id FROM homeport_bindings', now()),
      { sql: 'DELETE FROM homeport_bindings' },
    ])
  }
  // Looks up every name before it removes the first binding.
  const found = []
  for (const name of new Set(names)) found.push(await findToUnbind(work, name))
  for (const { owner, id, boundTo } of found) {
    if (boundTo === null) {
      work.line(`${owner} is not bound. If another record holds the account, run \`unbind OBJECT-ID\`.`)
      continue
    }
    const detail = `${owner} from ${boundTo}`
    const [planned, done] = [
      `unbind ${detail} and end every session`,
      `Unbound ${detail} and ended every session`,
    ]
    await change(work, { action: 'unbind', employeeId: id, detail }, planned, done, [
      // Of this account: a delayed request must not remove a later binding.
      {
        sql: 'DELETE FROM homeport_bindings WHERE employee_id = $1 AND directory_id = $2',
        values: [id, boundTo],
      },
      endSessions(id, now()),
    ])
  }
}

/** Finds whom to unbind: by user name or, if the employee's record is gone, by account. */
async function findToUnbind({ store }: Work, nameOrAccount: string) {
  if (!isGuid(nameOrAccount))
    return { owner: printable(nameOrAccount), ...(await findEmployee(store, nameOrAccount)) }
  const boundTo = nameOrAccount.toLowerCase()
  const bound = await findBound(store, boundTo)
  if (!bound) throw new CommandError(`${boundTo} is not bound to an employee.`)
  return { owner: `employee ${printable(bound.id)}`, id: bound.id, boundTo }
}

async function end(work: Work, [name = '']: readonly string[]): Promise<void> {
  const id = work.options.all ? null : (await findEmployee(work.store, name)).id
  const detail = id === null ? 'everybody' : name
  const what = `every session of ${printable(detail)}`
  await change(work, { action: 'end-sessions', employeeId: id, detail }, `end ${what}`, `Ended ${what}`, [
    id === null
      ? endSessionsOf('SELECT CAST(id AS TEXT) AS id FROM employees', work.now())
      : endSessions(id, work.now()),
  ])
}

async function showAudit({ store, options, line }: Work): Promise<void> {
  const changes = await listChanges(store, maxListed)
  if (options.json) return line(printable(JSON.stringify(changes)))
  for (const { at, operator, action, employeeId, detail } of changes) {
    const fields = [new Date(at).toISOString(), operator, action, employeeId ?? 'everybody', detail]
    line(fields.map(printable).join('\t'))
  }
  line(`${counted(changes.length, 'change')} in ${store.place}, newest first.`)
}

async function migrate({ store, options, now, line }: Work): Promise<void> {
  const existing = options['existing-employees'] === true
  const schema = await readSchema(store)
  // Where it ran before, an empty table would take the place of a view or a table that somebody dropped.
  if (schema.employees === 'missing' && (existing || schema.applied.size > 0)) {
    throw new CommandError(
      `${store.place} has no table or view employees(id, user_name, is_active, is_admin). Create or restore it, then run this again.`,
    )
  }
  const pending = pendingMigrations(schema, !existing)
  if (pending.length === 0) return line(`${store.place}: the tables are up to date.`)
  for (const migration of pending) {
    if (options['dry-run']) {
      line(`-- Would create ${migration.title}:`)
      for (const statement of migration.statements) line(`${statement};`)
    } else {
      await applyMigration(store, migration, now())
      line(`${store.place}: created ${migration.title}.`)
    }
  }
}

/** Prints whether the handler can use a store. Throws if it cannot. */
async function check({ store, line }: Work): Promise<void> {
  const shownAs = (id: string, name: string) => `${name || '(no user name)'} (${id})`
  const { broken, refused, remarks, counts, nobody } = await inspectStore(store, shownAs)
  const wrong = [...broken, ...nobody]
  for (const message of [...counts, ...wrong, ...remarks, ...refused]) line(printable(message))
  if (wrong.length > 0) throw new CommandError(`${store.place} has ${counted(wrong.length, 'problem')}.`)
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
