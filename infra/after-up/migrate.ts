import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CommandError } from '../../lib/command.ts'
import { findIn, readState } from '../exported-state.ts'
import { textOf } from '../json.ts'
import { types } from '../resource-names.ts'

interface Migration {
  readonly stack?: string
  /** Whether a stack without a database has nothing to migrate. */
  readonly before: boolean
  readonly employee?: readonly string[]
  readonly admin?: readonly string[]
}

/** Creates or updates the tables of the stack's database, and adds employees and administrators. @throws CommandError */
export async function migrate({ stack, before, employee = [], admin = [] }: Migration) {
  // A run that failed leaves no outputs, but the state has the database.
  const database = findIn(await readState(stack), types.database)
  const accountId = textOf(database?.inputs, 'accountId')
  const databaseId = database?.id
  if (!accountId || !databaseId) {
    const next = 'Run pulumi up first. For a stack with signIn: host, run npm run after-up -- --settings DIR.'
    if (!before) throw new CommandError(`The stack has no database. ${next}`)
    process.stdout.write('The stack has no database, so there are no tables to migrate.\n')
    return
  }
  const { CLOUDFLARE_API_URL: apiUrl, CLOUDFLARE_BASE_URL: baseUrl, ...rest } = process.env
  const place = { CLOUDFLARE_ACCOUNT_ID: accountId, D1_DATABASE_ID: databaseId }
  const env = { ...rest, ...place, CLOUDFLARE_API_URL: apiUrl || baseUrl }
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const added = employee.map(name => ['add', name])
  for (const args of [['migrate'], ...added, ...admin.map(name => ['add', name, '--admin'])]) {
    const command = ['src/operator/cli.ts', ...args, '--store', 'd1']
    const { status } = spawnSync(process.execPath, command, {
      cwd,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if (status !== 0)
      throw new CommandError(
        `This step failed, so the rest was skipped.${args[0] === 'add' ? ' Run it again without the employees that exist already.' : ''}`,
      )
  }
}
