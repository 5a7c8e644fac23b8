import { type Chosen, CommandError, helpOption, runCommand, terminal, UsageError } from '../lib/command.ts'
import { readTextFile } from '../lib/text-file.ts'
import { migrate } from './after-up/migrate.ts'
import { writeSettings } from './after-up/settings-files.ts'
import { parseObject } from './pulumi-cli.ts'

const help = `Usage: npm run after-up -- [--before] [--employee NAME] [--admin NAME] [--stack NAME] [--outputs FILE]
       npm run after-up -- --settings DIR [--stack NAME] [--outputs FILE]

Creates or updates the tables of the stack's database, and adds employees and administrators. With --before, for the tables
that a new Worker needs, it does nothing if the stack has no database. CLOUDFLARE_API_TOKEN is a token that can edit D1,
CLOUDFLARE_API_URL the base URL of its API.
With --settings, it writes the settings of a handler on a host of yours into DIR: homeport.env, client-secret and session-keys.
It reads the stack by the CLI, or its outputs from FILE (- for standard input): pulumi stack output --json --show-secrets.

Exit status: 0 success, 1 refused or failed, 2 wrong options.
`
const options = {
  settings: { type: 'string' },
  employee: { type: 'string', multiple: true },
  admin: { type: 'string', multiple: true },
  before: { type: 'boolean', default: false },
  stack: { type: 'string' },
  outputs: { type: 'string' },
  ...helpOption,
} as const
const maxOutputBytes = 1024 * 1024

function readOutputs(path: string): Readonly<Record<string, unknown>> {
  const text = readTextFile(path === '-' ? 0 : path, maxOutputBytes)
  if ('value' in text) return parseObject(text.value)
  throw new CommandError(`The file with the stack's outputs ${text.problem}`)
}

async function run({ settings, outputs: file, ...chosen }: Chosen<typeof options>): Promise<number> {
  const outputs = file ? readOutputs(file) : null
  if (settings === undefined) await migrate({ ...chosen, outputs })
  else if (chosen.before || chosen.employee || chosen.admin)
    throw new UsageError('--settings can only be combined with --stack and --outputs.')
  else await writeSettings(settings, outputs, chosen.stack)
  return 0
}

const args = process.argv.slice(2)
process.exitCode = await runCommand({ args, call: 'npm run after-up --', help, options }, terminal, run)
