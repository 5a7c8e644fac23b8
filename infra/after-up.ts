import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const help = `Usage: npm run after-up -- [options]

What has to happen after pulumi up: makes or updates the tables of the stack's database, and adds the first employees.
It may be repeated; who is there already stays as they are.

Options
  --employee NAME        add an employee; as often as needed
  --admin NAME           likewise, an administrator
  --existing-employees   employees is a table or view of yours: make the other tables only
  --stack NAME           which stack, instead of the selected one
  --outputs FILE         read the stack's outputs from this JSON file (- for standard input) instead of asking pulumi
  --dry-run              say what would be done, and do nothing
  --help                 show this

Environment
  CLOUDFLARE_API_TOKEN   a token that may edit D1; the deploying one may
  CLOUDFLARE_API_URL     where the service is (https://api.cloudflare.com/client/v4)

Exit status: 0 done, 1 refused or failed, 2 not understood.
`

const root = fileURLToPath(new URL('..', import.meta.url))
const optionNames = {
  employee: { type: 'string', multiple: true },
  admin: { type: 'string', multiple: true },
  'existing-employees': { type: 'boolean', default: false },
  stack: { type: 'string' },
  outputs: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** A failure whose message is for the operator. */
class Refusal extends Error {
  readonly status: 1 | 2
  constructor(message: string, status: 1 | 2 = 1) {
    super(message)
    this.status = status
  }
}

type Options = ReturnType<typeof parse>

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: optionNames, strict: true }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'The options were not understood.'
    throw new Refusal(`${reason} npm run after-up -- --help shows what there is.`, 2)
  }
}

/** What is needed of the stack's outputs; none of it is secret. */
interface Place {
  readonly accountId: string
  readonly databaseId: string
}

async function readPlace({ outputs, stack }: Options): Promise<Place> {
  const given = await readOutputs(outputs, stack)
  let parsed: unknown
  try {
    parsed = JSON.parse(given)
  } catch {
    throw new Refusal('The outputs of the stack are not JSON. Give what `pulumi stack output --json` prints.')
  }
  const textOf = (name: string): string => {
    const value: unknown =
      typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : undefined
    if (typeof value === 'string' && value !== '') return value
    throw new Refusal(`The stack has no output ${name}. Run pulumi up first.`)
  }
  return { accountId: textOf('accountId'), databaseId: textOf('databaseId') }
}

async function readOutputs(path: string | undefined, stack: string | undefined): Promise<string> {
  if (path === '-') return readAll(process.stdin)
  if (path !== undefined) {
    return readFile(path, 'utf8').catch(() => {
      throw new Refusal(`${path} cannot be read. Give a file with the stack's outputs as JSON.`)
    })
  }
  // Without a flag to show them, secret outputs come as a mark; none is needed here.
  const args = ['stack', 'output', '--json', ...(stack === undefined ? [] : ['--stack', stack])]
  const { status, output } = await run('pulumi', args, process.env, 'pipe').catch(() => {
    throw new Refusal('pulumi was not found. Install it, or give the outputs with --outputs FILE.')
  })
  if (status !== 0)
    throw new Refusal('pulumi gave no outputs, and said why above. Name the stack with --stack.')
  return output
}

/** Runs a program to its end; what it says on standard error is shown as it comes. */
async function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdout: 'pipe' | 'inherit',
): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', stdout, 'inherit'] })
  const output = child.stdout ? readAll(child.stdout) : Promise.resolve('')
  const [status] = (await once(child, 'exit')) as [number | null]
  return { status, output: await output }
}

async function afterUp(options: Options): Promise<void> {
  const env = environmentFor(await readPlace(options))
  const dryRun = options['dry-run'] ? ['--dry-run'] : []
  const operate = async (...args: string[]) => {
    const { status } = await run(
      process.execPath,
      ['src/employees/cli.ts', ...args, ...dryRun],
      env,
      'inherit',
    )
    if (status !== 0) throw new Refusal('That did not work, and nothing after it was tried.')
  }
  await operate('migrate', ...(options['existing-employees'] ? ['--existing-employees'] : []))
  const wanted = [
    ...(options.employee ?? []).map(name => ({ name, flags: [] })),
    ...(options.admin ?? []).map(name => ({ name, flags: ['--admin'] })),
  ]
  if (wanted.length === 0) return
  if (options['dry-run']) {
    // Where nothing was migrated there is nothing to list.
    for (const { name } of wanted) say(`Would have: added ${name}, unless there is an employee of that name.`)
    return
  }
  const present = await namesIn(env)
  for (const { name, flags } of wanted) {
    if (present.includes(name)) say(`${name} is an employee already.`)
    else await operate('add', name, ...flags)
  }
}

function environmentFor({ accountId, databaseId }: Place): NodeJS.ProcessEnv {
  const {
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_API_URL: apiUrl,
    CLOUDFLARE_BASE_URL: baseUrl,
    PATH,
  } = process.env
  if (!token) throw new Refusal('CLOUDFLARE_API_TOKEN is not set. Give a token that may edit D1.')
  return {
    PATH,
    CLOUDFLARE_ACCOUNT_ID: accountId,
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_API_URL: apiUrl || baseUrl,
    D1_DATABASE_ID: databaseId,
  }
}

async function namesIn(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { status, output } = await run(
    process.execPath,
    ['src/employees/cli.ts', 'list', '--json'],
    env,
    'pipe',
  )
  if (status !== 0) throw new Refusal('The employees could not be listed, and none was added.')
  const employees: readonly { readonly userName: string }[] = JSON.parse(output)
  return employees.map(({ userName }) => userName)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

try {
  const options = parse(process.argv.slice(2))
  if (options.help) say(help)
  else await afterUp(options)
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error.status
}
