import { type Chosen, helpOption, runCommand, terminal, UsageError } from '../lib/command.ts'
import { migrate } from './after-up/migrate.ts'
import { writeSettings } from './after-up/settings-files.ts'

const help = `Usage: npm run after-up -- [--before] [--employee NAME] [--admin NAME] [--stack NAME]
       npm run after-up -- --settings DIR [--stack NAME]

Creates or updates the tables of the stack's database, and adds employees and administrators. With --before, for the tables
that a new Worker needs, it does nothing if the stack has no database. CLOUDFLARE_API_TOKEN is a token that can edit D1,
CLOUDFLARE_API_URL the base URL of its API.
With --settings, it writes the settings of a handler on a host of yours into DIR: homeport.env, client-secret and session-keys.

Exit status: 0 success, 1 refused or failed, 2 wrong options.
`
const options = {
  settings: { type: 'string' },
  employee: { type: 'string', multiple: true },
  admin: { type: 'string', multiple: true },
  before: { type: 'boolean', default: false },
  stack: { type: 'string' },
  ...helpOption,
} as const

async function run({ settings, ...chosen }: Chosen<typeof options>): Promise<number> {
  if (settings === undefined) await migrate(chosen)
  else if (chosen.before || chosen.employee || chosen.admin)
    throw new UsageError('--settings can only be combined with --stack.')
  else await writeSettings(settings, chosen.stack)
  return 0
}

/** Runs the command. Returns the exit status. */
export function runAfterUp(args: readonly string[]): Promise<number> {
  return runCommand({ args, call: 'npm run after-up --', help, options }, terminal, run)
}

if (import.meta.main) process.exitCode = await runAfterUp(process.argv.slice(2))
