import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import {
  addEmployee,
  bindEmployee,
  endSessions,
  findBinding,
  findEmployee,
  isDirectoryId,
  listEmployees,
  requireDirectoryId,
  requireFreeId,
  requireFreeName,
  requireOwnEmployees,
  requireUnbound,
  setActive,
  unbindEmployee,
} from './administration.ts'
import { openD1Store } from './d1-store.ts'
import { applyMigration, employeesOf, pendingMigrations, requireMigrated } from './migrations.ts'
import { openPostgresStore } from './postgres-store.ts'
import { OperatorError, type Store } from './store.ts'

const help = `Usage: npm run employees -- <command> [options]

Commands
  migrate                  make or update the tables; makes employees only where there is no table or view of that name
  list                     show the employees and whom they are bound to
  add NAME                 add an employee  (--id ID, --admin)
  deactivate NAME          let nobody sign in as NAME; sessions end with the next request
  activate NAME            undo that
  bind NAME DIRECTORY-ID   let the account with this Object ID, and no other, sign in as NAME
  unbind NAME              forget the account NAME is bound to, and end NAME's sessions; instead of NAME the account's
                           DIRECTORY-ID, where the record of the employee is gone
  end-sessions NAME        end every session of NAME

Options
  --dry-run                say what would be done, and do nothing
  --existing-employees     with migrate: employees is a table or view of yours; fail where it is missing
  --store postgres|d1      which store, where the environment names both
  --json                   with list: print JSON
  --help                   show this

Environment
  DATABASE_URL             PostgreSQL, or
  D1_DATABASE_ID, CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN    D1 by its HTTP API
  CLOUDFLARE_API_URL       where that is (https://api.cloudflare.com/client/v4)

add, deactivate and activate write the employees, and so work only on a table that migrate made.

Exit status: 0 done, 1 refused or failed, 2 not understood.
`

type Environment = Readonly<Record<string, string | undefined>>

interface Output {
  line(text: string): void
  problem(text: string): void
}

class UsageError extends Error {
  override readonly name = 'UsageError'
}

const optionNames = {
  'dry-run': { type: 'boolean' },
  'existing-employees': { type: 'boolean' },
  admin: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  id: { type: 'string' },
  store: { type: 'string' },
} as const

type Options = ReturnType<typeof parse>['values']

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: optionNames, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The options were not understood.')
  }
}

/** Runs the operator's command; gives the exit status. */
export async function runEmployeesCommand(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  let store: Store | undefined
  try {
    const { values, positionals } = parse(args)
    const [command, ...names] = positionals
    if (values.help) {
      output.line(help)
      return 0
    }
    if (!command) throw new UsageError('No command was given.')
    const wanted = arity.get(command)
    if (!wanted) throw new UsageError(`There is no command ${command}.`)
    if (names.length !== wanted.length) {
      throw new UsageError(
        `${[command, ...wanted].join(' ')} takes ${wanted.length} of these, and ${names.length} were given.`,
      )
    }
    store = openStore(env, values.store)
    await execute(store, command, names, values, output)
    return 0
  } catch (error) {
    if (error instanceof UsageError) {
      output.problem(`${error.message} \`npm run employees -- --help\` shows what there is.`)
      return 2
    }
    if (error instanceof OperatorError) {
      output.problem(error.message)
      return 1
    }
    throw error
  } finally {
    await store?.close()
  }
}

/** What each command takes. */
const arity = new Map<string, readonly string[]>([
  ['migrate', []],
  ['list', []],
  ['add', ['NAME']],
  ['deactivate', ['NAME']],
  ['activate', ['NAME']],
  ['bind', ['NAME', 'DIRECTORY-ID']],
  ['unbind', ['NAME']],
  ['end-sessions', ['NAME']],
])

function openStore(env: Environment, choice: string | undefined): Store {
  const { DATABASE_URL: databaseUrl, D1_DATABASE_ID: databaseId } = env
  if (choice !== undefined && choice !== 'postgres' && choice !== 'd1') {
    throw new UsageError(`--store is ${choice}, and neither postgres nor d1.`)
  }
  if (choice === undefined && databaseUrl && databaseId) {
    throw new UsageError('DATABASE_URL and D1_DATABASE_ID are both set. Choose with --store.')
  }
  if (databaseUrl && choice !== 'd1') return openPostgresStore(databaseUrl)
  const { CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: token } = env
  if (databaseId && choice !== 'postgres') {
    if (!accountId || !token) {
      throw new UsageError('D1 needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN beside D1_DATABASE_ID.')
    }
    const apiUrl = env['CLOUDFLARE_API_URL'] || 'https://api.cloudflare.com/client/v4'
    return openD1Store({ apiUrl, accountId, databaseId, token })
  }
  throw new UsageError('No store is named: set DATABASE_URL, or D1_DATABASE_ID with its account and token.')
}

async function execute(
  store: Store,
  command: string,
  [name = '', directoryId = '']: readonly string[],
  options: Options,
  output: Output,
): Promise<void> {
  const dryRun = options['dry-run'] === true
  const done = (text: string) => output.line(dryRun ? `Would have: ${text}` : text)
  const now = Date.now()
  if (command === 'migrate') return migrate(store, options, output)
  await requireMigrated(store)
  switch (command) {
    case 'list':
      return list(store, options, output)
    case 'add': {
      await requireOwnEmployees(store)
      await requireFreeName(store, name)
      const id = options.id ?? randomUUID()
      await requireFreeId(store, id)
      const employee = { id, userName: name, isActive: true, isAdmin: options.admin === true }
      if (!dryRun) await addEmployee(store, employee)
      return done(`added ${name} (${id})${employee.isAdmin ? ', administrator' : ''}.`)
    }
    case 'activate':
    case 'deactivate': {
      await requireOwnEmployees(store)
      const employee = await findEmployee(store, name)
      const active = command === 'activate'
      if (employee.isActive === active)
        return output.line(`${name} is ${active ? 'active' : 'inactive'} already.`)
      if (!dryRun) await setActive(store, employee.id, active)
      return done(
        active ? `activated ${name}.` : `deactivated ${name}; sessions end with their next request.`,
      )
    }
    case 'bind': {
      const id = requireDirectoryId(directoryId)
      const employee = await findEmployee(store, name)
      if (employee.boundTo === id) return output.line(`${name} is bound to ${id} already.`)
      await requireUnbound(store, employee, id)
      if (!dryRun) await bindEmployee(store, employee, id, now)
      return done(`bound ${name} to ${id}.`)
    }
    case 'unbind': {
      if (isDirectoryId(name)) {
        // By a name nobody finds what belongs to a record that is gone.
        const account = name.toLowerCase()
        const employeeId = await findBinding(store, account)
        if (employeeId === null) throw new OperatorError(`${account} is not bound to anybody.`)
        if (!dryRun) await unbindEmployee(store, employeeId, now)
        return done(`unbound employee ${employeeId} from ${account} and ended every session.`)
      }
      const employee = await findEmployee(store, name)
      if (!employee.boundTo) return output.line(`${name} is not bound.`)
      if (!dryRun) await unbindEmployee(store, employee.id, now)
      return done(`unbound ${name} from ${employee.boundTo} and ended every session.`)
    }
    case 'end-sessions': {
      const employee = await findEmployee(store, name)
      if (!dryRun) await endSessions(store, employee.id, now)
      return done(`ended every session of ${name}.`)
    }
  }
}

async function migrate(store: Store, options: Options, output: Output): Promise<void> {
  const existing = options['existing-employees'] === true
  if (existing && (await employeesOf(store)) === 'missing') {
    throw new OperatorError(
      `${store.place} has no table or view employees(id, user_name, is_active, is_admin). Make it, then run this again.`,
    )
  }
  const pending = await pendingMigrations(store, !existing)
  if (pending.length === 0) return output.line(`${store.place}: nothing to do.`)
  for (const migration of pending) {
    if (options['dry-run']) {
      output.line(`-- would make ${migration.title}`)
      for (const statement of migration.statements[store.dialect]) output.line(`${statement};`)
    } else {
      await applyMigration(store, migration, Date.now())
      output.line(`${store.place}: made ${migration.title}.`)
    }
  }
}

async function list(store: Store, options: Options, output: Output): Promise<void> {
  const employees = await listEmployees(store)
  if (options.json) return output.line(JSON.stringify(employees))
  for (const { id, userName, isActive, isAdmin, boundTo } of employees) {
    const flags = [isActive ? 'active' : 'inactive', ...(isAdmin ? ['administrator'] : [])].join(', ')
    output.line(
      `${userName || '(without a user name)'}\t${id}\t${flags}\t${boundTo ? `bound to ${boundTo}` : 'not bound'}`,
    )
  }
  output.line(`${employees.length} employees in ${store.place}.`)
}

if (import.meta.main) {
  process.exitCode = await runEmployeesCommand(process.argv.slice(2), process.env, {
    line: text => void process.stdout.write(`${text}\n`),
    problem: text => void process.stderr.write(`${text}\n`),
  })
}
