import { createInterface } from 'node:readline/promises'
import { keepIssue } from '../../infra/drift/issue.ts'
import { createAgents } from '../../lib/agent.ts'
import { type Chosen, CommandError, helpOption, runCommand, terminal } from '../../lib/command.ts'
import { isObject, parseObject } from '../../lib/json.ts'
import { createNodeExchange } from '../../lib/node-exchange.ts'
import { printableStart } from '../../lib/quote.ts'
import { readSecretFile } from '../../lib/secret-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { Accounts } from './accounts.ts'
import { sendProbes } from './probes.ts'

const help = `Usage: npm run test:real -- [options]

Plays scenarios of the updater against Cloudflare, and sends each request again to the sandbox. Prints what differs.

  --accounts FILE   the accounts, as in docs/development/sandbox.md
  --record FOLDER   also write what was said, without anything of yours
  --replay FOLDER   send the requests of recordings to the sandbox, and ask nobody else
  --probes          ask every question of test/real/questions.ts once, without a credential
  --issue           with --probes: keep one issue about the differences
  --rehearse        tell the story of a deployment with your accounts; each step waits for Enter
  --clean           remove what a broken run left

It creates only names that begin with homeport-check, and removes them. Exit status: 0 if nothing differs.
`
const flag = { type: 'boolean' } as const
const text = { type: 'string' } as const
const options = {
  probes: flag,
  issue: flag,
  rehearse: flag,
  clean: flag,
  accounts: text,
  record: text,
  replay: text,
  ...helpOption,
} as const
const { env } = process
const print = terminal.line

/** Reads the accounts of the file that docs/development/sandbox.md shows. @throws CommandError */
function readAccounts(file: string | undefined): Accounts {
  if (file === undefined) throw new CommandError('Name the accounts: --accounts FILE.', { status: 2 })
  const text = readSecretFile(file, 64 * 1024)
  const accounts = 'value' in text ? parseObject(text.value) : null
  // The file is the reader's own, and most of it can be left out: only the part that all commands need is looked for.
  if (accounts && isObject(accounts['cloudflare'])) return accounts as unknown as Accounts
  throw new CommandError(`--accounts names a file that ${'value' in text ? 'has no accounts' : text.problem}`)
}

/** Asks the questions of the table. Returns 1 if an answer differs. */
async function probe(isIssue: boolean): Promise<number> {
  const { PROBE_TENANT_ID: tenant = '', PROBE_CLIENT_ID: client = '', GITHUB_REPOSITORY } = env
  const repository = GITHUB_REPOSITORY || 'homeport/homeport'
  const values = { tenant, client, repository, alias: 'www.github.com', missing: 'homeport.invalid' }
  const notify = isIssue ? keepIssue(env) : null
  const body = await sendProbes(values, createNodeExchange({}, createAgents({}, env)), print)
  const title = 'The real services answer otherwise than test/real/questions.ts says'
  const notice = { title, about: 'these answers', none: 'every answer is as the table says.', body }
  const said = await notify?.(notice)
  if (said) print(said)
  return body === null ? 0 : 1
}

/** Waits for a person to confirm a step. */
async function confirm(): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question('   Enter does it, anything else stops: ')
  lines.close()
  return answer === ''
}

async function run(chosen: Chosen<typeof options>): Promise<number> {
  const { probes, issue, rehearse: isStory, replay, clean } = chosen
  if (probes) return probe(issue ?? false)
  // Only what is asked for is imported: the emulators take seconds to load.
  if (replay) return Math.min(1, await (await import('./replay.ts')).replayFolder(replay, print))
  const accounts = readAccounts(chosen.accounts)
  if (clean) {
    const { removeLeft } = await import('./accounts.ts')
    for (const what of await removeLeft(accounts)) print(`removed ${what}`)
    return 0
  }
  const folder = chosen.record ?? temporaryFolder()
  if (!isStory)
    return Math.min(1, await (await import('./scenarios.ts')).runScenarios(accounts, print, folder))
  const { rehearse } = await import('./rehearsal.ts')
  return Math.min(1, await rehearse(accounts, { print, confirm, folder, lacks: 'employees' }))
}

const frame = { args: process.argv.slice(2), call: 'npm run test:real --', help, options }
process.exitCode = await runCommand(frame, terminal, chosen =>
  run(chosen).catch((error: Error) => {
    throw error instanceof CommandError ? error : new CommandError(printableStart(error.message))
  }),
)
