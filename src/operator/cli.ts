import { userInfo } from 'node:os'
import { cloudflareApiUrl } from '../../lib/cloudflare.ts'
import { checkArguments, findCommand, runCommand, terminal, UsageError } from '../../lib/command.ts'
import { ignoredProxies } from '../../lib/ignored-proxies.ts'
import { printable } from '../../lib/quote.ts'
import { withSecretFiles } from '../../lib/secret-file.ts'
import { parseSafeUrl } from '../../lib/url.ts'
import { formatEntry } from '../http/log.ts'
import { readProxyUrl } from '../node/settings.ts'
import { commands, runOnStore } from './commands.ts'
import { openD1Store, openPostgresStore } from './open-store.ts'
import type { Store } from './store.ts'
import { type CommandOptions, type Output, optionNames } from './work.ts'

const help = `Usage: npm run employees -- <command> [options]

Commands
  migrate               create or update the tables; creates employees only if there is no table or view of that name
  check                 say whether the handler can use the store
  list                  list the employees and the accounts they are bound to
  add NAME              add an employee  (--id ID, --admin)
  import FILE.csv       add and update employees from a file in UTF-8 with the columns id, user_name and, optionally,
                        is_active and is_admin; if any line has a problem, no employee is changed
                        (--rename, --missing, --max-missing)
  deactivate NAME       stop NAME from signing in, and end NAME's sessions
  activate NAME         let NAME sign in again
  admin NAME on|off     make NAME an administrator, or no longer one
  bind NAME OBJECT-ID   let only the account with this Object ID sign in as NAME
  unbind NAME...        remove the bindings and end the sessions of one or more employees, or of everybody (--all);
                        if an employee's record is gone, give the account's OBJECT-ID instead of NAME
  end-sessions NAME     end every session of NAME, or of everybody (--all)
  audit                 list the last 100 changes by this command, and who made them

Options
  --dry-run             show what the command would do, and change nothing
  --all                 with unbind and end-sessions: everybody
  --rename              with import: give bound employees other names; without it, such a file is refused
  --missing deactivate  with import: deactivate the employees who are not in the file
  --max-missing N       with --missing: how many at most (default: half of those who are active)
  --existing-employees  with migrate: use your own employees table or view; fail if it is missing
  --operator WHO        who makes the change, for the audit (default: SUDO_USER, else this account's name)
  --store postgres|d1   the store to use, if the environment names both
  --json                with list and audit: print JSON
  --help                show this help

Environment
  DATABASE_URL          PostgreSQL, or
  D1_DATABASE_ID, CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN    D1, by its HTTP API
  DATABASE_URL_FILE, CLOUDFLARE_API_TOKEN_FILE    a file that contains the secret
  CLOUDFLARE_API_URL    base URL of that API (https://api.cloudflare.com/client/v4)

add, import, deactivate, activate and admin change employees, so they need a table that migrate created.
Each change is recorded in the store as it is made, and printed to standard error as a JSON line for your log.
Each command can be repeated without harm, such as after a lost answer.

Exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 nothing was changed: confirm it with the option in the message.
`

type Environment = Readonly<Record<string, string | undefined>>

/** Runs the operator's command. Returns the exit status. */
export async function runEmployeesCommand(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  const frame = { args, call: 'npm run employees --', help, options: optionNames, takesArguments: true }
  return runCommand(frame, output, async (options, [name = '', ...names]) => {
    const command = readCommand(name, names, options)
    const operator = operatorOf(options.operator, env)
    const store = openStore(env, options.store, output.problem)
    try {
      await runOnStore(command, names, { store, operator, options, now: Date.now, ...output })
    } finally {
      await store.close()
    }
    return 0
  })
}

/** Options of every command. */
const commonOptions = ['dry-run', 'operator', 'store']

/** What the value of an option can be. */
const optionValues = [
  ['missing', /^deactivate$/, 'deactivate'],
  ['max-missing', /^\d{1,9}$/, 'a number'],
  ['store', /^(postgres|d1)$/, 'postgres or d1'],
] as const

/** Returns the command of a name. Throws if its arguments or options are wrong. */
function readCommand(name: string, names: readonly string[], given: CommandOptions) {
  const command = findCommand(commands, name, given, commonOptions)
  for (const [option, pattern, use] of optionValues) {
    const value = given[option]
    if (value !== undefined && !pattern.test(value))
      throw new UsageError(`--${option} is ${printable(value)}. Use ${use}.`)
  }
  if (given['max-missing'] !== undefined && !given.missing)
    throw new UsageError('--max-missing needs --missing deactivate.')
  if (given.all) {
    if (names.length > 0) throw new UsageError(`\`${name}\` takes names or --all, not both.`)
    return command
  }
  checkArguments(name, command, names)
  if (name === 'admin' && names[1] !== 'on' && names[1] !== 'off') {
    throw new UsageError(`\`admin\` needs on or off, and got ${printable(names[1] ?? '')}.`)
  }
  return command
}

/** Returns who makes a change. An account without a name, as in some containers, needs the option. */
function operatorOf(given: string | undefined, env: Environment): string {
  const name = given ?? (env['SUDO_USER'] || accountName())
  if (name === '' || name.length > 100 || name !== printable(name)) {
    throw new UsageError('This account has no usable name. Give yours with --operator.')
  }
  return name
}

function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}

/**
 * Opens the store that the environment names.
 * @param warn gets a warning for each file with a secret that every user of this host can read
 * @throws CommandError if it names none, or a secret's file cannot be read
 */
export function openStore(
  given: Environment,
  choice?: string,
  warn: (warning: string) => void = () => undefined,
): Store {
  const secrets = withSecretFiles(given, ['DATABASE_URL', 'CLOUDFLARE_API_TOKEN'])
  secrets.warnings.forEach(warn)
  if (secrets.problems.length > 0) throw new UsageError(secrets.problems.join(' '))
  const env: Environment = secrets.env
  const { DATABASE_URL: databaseUrl, D1_DATABASE_ID: databaseId } = env
  if (choice === undefined && databaseUrl && databaseId) {
    throw new UsageError('DATABASE_URL and D1_DATABASE_ID are both set. Choose one with --store.')
  }
  if (databaseUrl && choice !== 'd1') return openPostgresStore(databaseUrl)
  const { CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: token } = env
  if (databaseId && choice !== 'postgres') {
    if (!accountId || !token) {
      throw new UsageError('D1 needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN as well. Set both.')
    }
    const apiUrl = env['CLOUDFLARE_API_URL'] || cloudflareApiUrl
    if (!parseSafeUrl(apiUrl)) {
      throw new UsageError('CLOUDFLARE_API_URL is not an https URL. Only loopback addresses may use http.')
    }
    const ignored = ignoredProxies(env)
    if (ignored.length > 0) throw new UsageError(ignored.join(' '))
    const proxy = (env['https_proxy'] || env['HTTPS_PROXY'] || '').trim()
    const reading = proxy === '' ? { value: '' } : readProxyUrl(proxy)
    if ('problems' in reading) throw new UsageError(`HTTPS_PROXY ${reading.problems.join(' ')}`)
    return openD1Store({ apiUrl, accountId, databaseId, token, proxyEnv: env })
  }
  throw new UsageError('No store is set. Set DATABASE_URL, or D1_DATABASE_ID with its account and token.')
}

/** Runs the operator's command in this process. Returns the exit status. */
export function main(args: readonly string[]): Promise<number> {
  return runEmployeesCommand(args, process.env, {
    ...terminal,
    log: entry => terminal.problem(formatEntry(entry, new Date())),
  })
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
