import { readFile } from 'node:fs/promises'
import { buffer as readAll } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { decodeText } from '../lib/secret-file.ts'
import { fieldOf, textOf } from './json.ts'
import { Refusal, readOptions, reportRefusal, runProgram } from './program.ts'
import { planFiles, writeFiles } from './settings-files.ts'
import { types } from './stack-facts.ts'
import { findIn, readState } from './stack-state.ts'

const help = `Usage: npm run after-up -- [options]

Run after-up after the first pulumi up. It creates the tables of the stack's database and adds the first employees.
Run it with --before in front of every later one: the tables get what the new Worker needs, and the old one can use them too.
A new stack has no database yet, so it changes nothing there.
You can repeat both: existing employees stay as they are.

With --settings, after-up writes what a handler on a host of your own needs, from a stack with signIn: host. DIR gets three
files, readable by you only: homeport.env with the plain settings, client-secret and session-keys. Every other file in it stays
as it is, such as your own local.env. Run it after each pulumi up that changes a setting or rotates a secret.

Options
  --settings DIR         write the settings of the handler into this directory, and do nothing else
  --employee NAME        add an employee (repeatable)
  --admin NAME           add an administrator (repeatable)
  --existing-employees   the employees table or view is your own: create only the other tables
  --stack NAME           use this stack instead of the selected one
  --outputs FILE         read the stack's outputs from this JSON file (- for standard input) instead of running pulumi
                         With --settings, they must include secrets: pulumi stack output --json --show-secrets
  --before               run before pulumi up: do nothing if the stack has no database yet
  --dry-run              show what would happen, and change nothing
  --help                 show this help

Environment
  CLOUDFLARE_API_TOKEN   a token that can edit D1, such as the deploy token
  CLOUDFLARE_API_URL     base URL of the API (https://api.cloudflare.com/client/v4)

Exit status: 0 success, 1 refused or failed, 2 wrong options.
`

const settingsOutput = 'handlerSettings'
const root = fileURLToPath(new URL('..', import.meta.url))
const optionNames = {
  settings: { type: 'string' },
  employee: { type: 'string', multiple: true },
  admin: { type: 'string', multiple: true },
  'existing-employees': { type: 'boolean', default: false },
  stack: { type: 'string' },
  outputs: { type: 'string' },
  before: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

type Options = ReturnType<typeof parse>

const parse = (args: readonly string[]) => readOptions(args, optionNames, 'after-up')

/** The outputs of the stack that this command needs. None is secret. */
interface Place {
  readonly accountId: string
  readonly databaseId: string
}

/** Returns null before the first `pulumi up`, if that is expected. */
async function readPlace(options: Options): Promise<Place | null> {
  // A run that failed leaves no outputs, but the state still has the database.
  if (options.before && options.outputs === undefined) return readPlaceInState(options.stack)
  // Without --show-secrets, pulumi prints [secret] in place of a secret output. None is needed here.
  const parsed = parseOutputs(
    options.outputs === undefined
      ? await askForOutputs(['--json'], options.stack)
      : await readOutputs(options.outputs),
  )
  function outputOf(name: string): string {
    const value = textOf(parsed, name)
    if (value) return value
    if (fieldOf(parsed, settingsOutput) !== undefined)
      throw new Refusal(
        `The stack has no output ${name}, but ${settingsOutput}: its handler runs on a host of your own. Run npm run after-up -- --settings DIR.`,
      )
    if (fieldOf(parsed, 'recordId') !== undefined && fieldOf(parsed, 'clientId') === undefined)
      throw new Refusal(
        'At its last pulumi up, the stack had a record but no sign-in, and so no database: nothing is left to do after it. To add a sign-in, set signIn and run pulumi up first.',
      )
    throw new Refusal(`The stack has no output ${name}. Run pulumi up first.`)
  }
  const isNew = typeof parsed === 'object' && parsed !== null && Object.keys(parsed).length === 0
  if (options.before && isNew) return null
  return { accountId: outputOf('accountId'), databaseId: outputOf('databaseId') }
}

async function readPlaceInState(stack: string | undefined): Promise<Place | null> {
  const database = findIn(await readState(stack), types.database)
  const accountId = textOf(database?.inputs, 'accountId')
  return database?.id && accountId !== null ? { accountId, databaseId: database.id } : null
}

/** Returns the text of a file, or of the standard input for `-`. @throws Refusal */
async function readOutputs(path: string): Promise<string> {
  const bytes = await (path === '-' ? readAll(process.stdin) : readFile(path)).catch(() => {
    throw new Refusal(`Could not read ${path}. Use a file with the stack's outputs as JSON.`)
  })
  const text = decodeText(bytes)
  if ('value' in text) return text.value
  throw new Refusal(`The file with the stack's outputs ${text.problem}`)
}

function parseOutputs(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('The outputs of the stack are not JSON. Use what `pulumi stack output --json` prints.')
  }
}

/** Returns what `pulumi stack output` prints. @throws Refusal */
async function askForOutputs(asked: readonly string[], stack: string | undefined): Promise<string> {
  const args = ['stack', 'output', ...asked, ...(stack === undefined ? [] : ['--stack', stack])]
  const { status, output } = await runProgram('pulumi', args, {
    cwd: root,
    env: process.env,
    stdout: 'pipe',
  }).catch(() => {
    throw new Refusal('pulumi was not found. Install it, or pass the outputs with --outputs FILE.')
  })
  if (status !== 0)
    throw new Refusal(
      `pulumi printed no ${asked[0] === settingsOutput ? settingsOutput : 'outputs'}. Its message is above. Check the stack, or pass one with --stack.`,
    )
  return output
}

/** Writes the files of a handler on a host. @throws Refusal */
async function writeSettings(directory: string, options: Options): Promise<void> {
  const others = ['employee', 'admin', 'existing-employees', 'before'] as const
  const other = others.find(name => options[name])
  if (other !== undefined) throw new Refusal(`--settings cannot be combined with --${other}.`, 2)
  if (directory === '') throw new Refusal('--settings needs a directory, such as /etc/homeport.', 2)
  const output = await readHandlerSettings(options)
  const plan = planFiles(output)
  if ('problems' in plan) throw new Refusal(`${plan.problems.join('\n')}\nNothing was written.`)
  const { lines, warnings, hasChanged } = await writeFiles(directory, plan.value, options['dry-run'])
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`)
  for (const line of lines) say(line)
  if (!hasChanged) say('Nothing has changed, so nothing was written.')
  else if (!options['dry-run'])
    say('Restart the handler on its host to use them: systemctl restart homeport-sign-in')
}

async function readHandlerSettings({ outputs, stack }: Options): Promise<unknown> {
  const missing = `The stack has no output ${settingsOutput}. Only a stack with signIn: host has it, after pulumi up.`
  if (outputs === undefined) {
    // Only this output, so that no other secret is decrypted.
    const output = await askForOutputs([settingsOutput, '--show-secrets'], stack)
    if (output.trim() === '') throw new Refusal(missing)
    return output
  }
  const output = fieldOf(parseOutputs(await readOutputs(outputs)), settingsOutput)
  if (output === undefined || output === null) throw new Refusal(missing)
  return output
}

async function afterUp(options: Options): Promise<void> {
  const place = await readPlace(options)
  if (place === null) {
    say('The stack has no database yet. Run pulumi up, then after-up.')
    return
  }
  const env = environmentFor(place)
  const dryRun = options['dry-run'] ? ['--dry-run'] : []
  async function employees(...args: string[]): Promise<void> {
    const { status } = await runProgram(process.execPath, ['src/operator/cli.ts', ...args, ...dryRun], {
      cwd: root,
      env,
      stdout: 'inherit',
    })
    if (status !== 0) throw new Refusal('This step failed, so the rest was skipped.')
  }
  await employees('migrate', ...(options['existing-employees'] ? ['--existing-employees'] : []))
  const wanted = [
    ...(options.employee ?? []).map(name => ({ name, flags: [] })),
    ...(options.admin ?? []).map(name => ({ name, flags: ['--admin'] })),
  ]
  if (wanted.length === 0) return
  if (options['dry-run']) {
    // Without a migration there may be no table to list.
    for (const { name } of wanted) say(`Would add ${name}, unless an employee has this name.`)
    return
  }
  const present = await namesIn(env)
  for (const { name, flags } of wanted) {
    if (present.includes(name)) say(`${name} is already an employee.`)
    else await employees('add', name, ...flags)
  }
}

function environmentFor({ accountId, databaseId }: Place): NodeJS.ProcessEnv {
  const {
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_API_URL: apiUrl,
    CLOUDFLARE_BASE_URL: baseUrl,
    PATH,
    NODE_COMPILE_CACHE,
  } = process.env
  if (!token) throw new Refusal('CLOUDFLARE_API_TOKEN is not set. Set it to a token that can edit D1.')
  return {
    PATH,
    NODE_COMPILE_CACHE,
    CLOUDFLARE_ACCOUNT_ID: accountId,
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_API_URL: apiUrl || baseUrl,
    D1_DATABASE_ID: databaseId,
  }
}

async function namesIn(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { status, output } = await runProgram(process.execPath, ['src/operator/cli.ts', 'list', '--json'], {
    cwd: root,
    env,
    stdout: 'pipe',
  })
  if (status !== 0) throw new Refusal('Could not list the employees, so none was added.')
  const employees: readonly { readonly userName: string }[] = JSON.parse(output)
  return employees.map(({ userName }) => userName)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

try {
  const options = parse(process.argv.slice(2))
  if (options.help) say(help)
  else if (options.settings !== undefined) await writeSettings(options.settings, options)
  else await afterUp(options)
} catch (error) {
  reportRefusal(error)
}
