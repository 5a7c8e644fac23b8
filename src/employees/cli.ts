import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withSecretFiles } from '../settings/secret-files.ts'
import {
  addEmployee,
  bindEmployee,
  endSessions,
  findBinding,
  findEmployee,
  isObjectId,
  listEmployees,
  requireFreeId,
  requireFreeName,
  requireObjectId,
  requireOwnEmployees,
  requireUnbound,
  setActive,
  unbindEmployee,
} from './administration.ts'
import { openD1Store } from './d1-store.ts'
import { applyMigration, pendingMigrations, readSchema, requireMigrated } from './migrations.ts'
import { openPostgresStore } from './postgres-store.ts'
import { printable } from './printable.ts'
import { OperatorError, type Store } from './store.ts'

const help = `Usage: npm run employees -- <command> [options]

Commands
  migrate               create or update the tables; creates employees only if there is no table or view of that name
  list                  list the employees and the accounts they are bound to
  add NAME              add an employee  (--id ID, --admin)
  deactivate NAME       stop NAME from signing in, and end NAME's sessions
  activate NAME         let NAME sign in again
  bind NAME OBJECT-ID   let only the account with this Object ID sign in as NAME
  unbind NAME           remove NAME's binding and end NAME's sessions; if the employee's record is gone, give the
                        account's OBJECT-ID instead of NAME
  end-sessions NAME     end every session of NAME

Options
  --dry-run             show what the command would do, and change nothing
  --existing-employees  with migrate: use your own employees table or view; fail if it is missing
  --store postgres|d1   the store to use, if the environment names both
  --json                with list: print JSON
  --help                show this help

Environment
  DATABASE_URL          PostgreSQL, or
  D1_DATABASE_ID, CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN    D1, by its HTTP API
  DATABASE_URL_FILE, CLOUDFLARE_API_TOKEN_FILE    a file that holds the secret, in place of it
  CLOUDFLARE_API_URL    base URL of that API (https://api.cloudflare.com/client/v4)

add, deactivate and activate change employees, so they need a table that migrate created.

Exit status: 0 done, 1 refused or failed, 2 wrong usage.
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
    throw new UsageError(error instanceof Error ? error.message : 'The options are invalid.')
  }
}

/** Runs the operator's command. Returns the exit status. */
export async function runEmployeesCommand(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  let store: Store | undefined
  try {
    const { values, positionals } = parse(args)
    if (values.help) {
      output.line(help)
      return 0
    }
    const [command, ...names] = positionals
    checkUsage(command, names)
    store = openStore(withSecrets(env), values.store)
    await execute(store, command, names, values, output)
    return 0
  } catch (error) {
    if (error instanceof UsageError) {
      output.problem(`${error.message} Run \`npm run employees -- --help\` for help.`)
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

/** The arguments of each command. */
const usage = new Map<string, readonly string[]>([
  ['migrate', []],
  ['list', []],
  ['add', ['a NAME']],
  ['deactivate', ['a NAME']],
  ['activate', ['a NAME']],
  ['bind', ['a NAME', 'an OBJECT-ID']],
  ['unbind', ['a NAME or an OBJECT-ID']],
  ['end-sessions', ['a NAME']],
])

function checkUsage(command: string | undefined, names: readonly string[]): asserts command is string {
  if (!command) throw new UsageError('Give a command.')
  const wanted = usage.get(command)
  if (!wanted) throw new UsageError(`There is no command ${printable(command)}.`)
  if (names.length < wanted.length) {
    throw new UsageError(`\`${command}\` needs ${wanted.slice(names.length).join(' and ')}.`)
  }
  if (names.length > wanted.length) {
    const taken = wanted.length === 0 ? 'no arguments' : `only ${wanted.join(' and ')}`
    throw new UsageError(`\`${command}\` takes ${taken}.`)
  }
}

function withSecrets(env: Environment): Environment {
  const secrets = withSecretFiles(env, ['DATABASE_URL', 'CLOUDFLARE_API_TOKEN'], path =>
    readFileSync(path, 'utf8'),
  )
  if (secrets.problems.length > 0) throw new UsageError(secrets.problems.join(' '))
  return secrets.env
}

function openStore(env: Environment, choice: string | undefined): Store {
  const { DATABASE_URL: databaseUrl, D1_DATABASE_ID: databaseId } = env
  if (choice !== undefined && choice !== 'postgres' && choice !== 'd1') {
    throw new UsageError(`--store is ${printable(choice)}. Use postgres or d1.`)
  }
  if (choice === undefined && databaseUrl && databaseId) {
    throw new UsageError('DATABASE_URL and D1_DATABASE_ID are both set. Choose one with --store.')
  }
  if (databaseUrl && choice !== 'd1') return openPostgresStore(databaseUrl)
  const { CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: token } = env
  if (databaseId && choice !== 'postgres') {
    if (!accountId || !token) {
      throw new UsageError('D1 needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN as well. Set both.')
    }
    const apiUrl = env['CLOUDFLARE_API_URL'] || 'https://api.cloudflare.com/client/v4'
    return openD1Store({ apiUrl, accountId, databaseId, token })
  }
  throw new UsageError('No store is set. Set DATABASE_URL, or D1_DATABASE_ID with its account and token.')
}

async function execute(
  store: Store,
  command: string,
  [name = '', objectId = '']: readonly string[],
  options: Options,
  output: Output,
): Promise<void> {
  const dryRun = options['dry-run'] === true
  const shown = printable(name)
  const now = Date.now()

  function report(planned: string, done: string): void {
    output.line(dryRun ? `Would ${planned}.` : `${done}.`)
  }

  if (command === 'migrate') return migrate(store, options, output)
  const schema = await requireMigrated(store)
  switch (command) {
    case 'list':
      return list(store, options, output)
    case 'add': {
      requireOwnEmployees(schema)
      await requireFreeName(store, name)
      const id = options.id ?? randomUUID()
      await requireFreeId(store, id)
      const isAdmin = options.admin === true
      if (!dryRun) await addEmployee(store, { id, userName: name, isActive: true, isAdmin })
      const added = `${shown} (${id})${isAdmin ? ' as an administrator' : ''}`
      return report(`add ${added}`, `Added ${added}`)
    }
    case 'activate':
    case 'deactivate': {
      requireOwnEmployees(schema)
      const employee = await findEmployee(store, name)
      const active = command === 'activate'
      if (employee.isActive === active) {
        return output.line(`${shown} is already ${active ? 'active' : 'inactive'}.`)
      }
      if (!dryRun) {
        await setActive(store, employee.id, active)
        // Later than the change, so that no sign-in falls between the two.
        if (!active) await endSessions(store, employee.id, Date.now())
      }
      return active
        ? report(`activate ${shown}`, `Activated ${shown}`)
        : report(`deactivate ${shown} and end every session`, `Deactivated ${shown} and ended every session`)
    }
    case 'bind': {
      const id = requireObjectId(objectId)
      const employee = await findEmployee(store, name)
      if (employee.boundTo === id) return output.line(`${shown} is already bound to ${id}.`)
      await requireUnbound(store, employee, id)
      if (!dryRun) await bindEmployee(store, employee, id, now)
      return report(`bind ${shown} to ${id}`, `Bound ${shown} to ${id}`)
    }
    case 'unbind': {
      const { owner, employeeId, account } = await findBound(store, name)
      if (account === null) return output.line(`${owner} is not bound.`)
      if (!dryRun) await unbindEmployee(store, employeeId, now)
      return report(
        `unbind ${owner} from ${account} and end every session`,
        `Unbound ${owner} from ${account} and ended every session`,
      )
    }
    case 'end-sessions': {
      const employee = await findEmployee(store, name)
      if (!dryRun) await endSessions(store, employee.id, now)
      return report(`end every session of ${shown}`, `Ended every session of ${shown}`)
    }
  }
}

/** Finds whom to unbind, by user name or, since the record of a bound employee can be gone, by account. */
async function findBound(store: Store, nameOrAccount: string) {
  if (!isObjectId(nameOrAccount)) {
    const { id, boundTo } = await findEmployee(store, nameOrAccount)
    return { owner: printable(nameOrAccount), employeeId: id, account: boundTo }
  }
  const account = nameOrAccount.toLowerCase()
  const employeeId = await findBinding(store, account)
  if (employeeId === null) throw new OperatorError(`${account} is not bound to an employee.`)
  return { owner: `employee ${printable(employeeId)}`, employeeId, account }
}

async function migrate(store: Store, options: Options, output: Output): Promise<void> {
  const existing = options['existing-employees'] === true
  const schema = await readSchema(store)
  if (existing && schema.employees === 'missing') {
    throw new OperatorError(
      `${store.place} has no table or view employees(id, user_name, is_active, is_admin). Create it, then run this again.`,
    )
  }
  const pending = pendingMigrations(schema, !existing)
  if (pending.length === 0) return output.line(`${store.place}: the tables are up to date.`)
  for (const migration of pending) {
    if (options['dry-run']) {
      output.line(`-- Would create ${migration.title}:`)
      for (const statement of migration.statements[store.dialect]) output.line(`${statement};`)
    } else {
      await applyMigration(store, migration, Date.now())
      output.line(`${store.place}: created ${migration.title}.`)
    }
  }
}

async function list(store: Store, options: Options, output: Output): Promise<void> {
  const employees = await listEmployees(store)
  // The escapes are those of JSON, so the document stays the same.
  if (options.json) return output.line(printable(JSON.stringify(employees)))
  for (const { id, userName, isActive, isAdmin, boundTo } of employees) {
    const flags = [isActive ? 'active' : 'inactive', ...(isAdmin ? ['administrator'] : [])].join(', ')
    const binding = boundTo ? `bound to ${printable(boundTo)}` : 'not bound'
    output.line([printable(userName) || '(no user name)', printable(id), flags, binding].join('\t'))
  }
  const count = employees.length === 1 ? '1 employee' : `${employees.length} employees`
  output.line(`${count} in ${store.place}.`)
}

/** Runs the operator's command in this process. Returns the exit status. */
export function main(args: readonly string[]): Promise<number> {
  return runEmployeesCommand(args, process.env, {
    line: text => void process.stdout.write(`${text}\n`),
    problem: text => void process.stderr.write(`${text}\n`),
  })
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
