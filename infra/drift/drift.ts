import { appendFile } from 'node:fs/promises'
import { type Chosen, helpOption, runCommand, terminal } from '../../lib/command.ts'
import { readStack } from '../stack-view.ts'
import { cloudflareChecks } from './cloudflare.ts'
import { type Difference, differs } from './difference.ts'
import { entraChecks } from './entra.ts'
import { expiryChecks } from './expiry.ts'
import { handOverChecks, workflowDifferences } from './github.ts'
import { expiryNotice, keepIssue } from './issue.ts'
import { type Check, findAll, type Look, lookAt } from './look.ts'
import { rowChecks } from './rows.ts'
import { missingChecks, pendingDifferences, unfinishedChecks } from './unfinished.ts'
import { routeChecks, workerChecks } from './workers.ts'

const help = `Usage: npm run drift -- [options]

Compares what exists with what the last run left, names what the configuration declares and the state lacks, and looks for what
neither knows: tokens and databases with the stack's name, address records, registrations with its redirect URI, their service principals and client secrets, and
credentials that expire within 30 days. Prints one line for each difference, with its fix.
It only reads, needs no passphrase, and runs no program. Changes nothing.

Options
  --stack NAME   use this stack instead of the selected one
  --issue        keep one issue about credentials that expire soon: open, edit and close it
  --help         show this help

Environment: what pulumi stack export needs, and
  CLOUDFLARE_API_TOKEN    a token that can read DNS, Workers scripts, Workers routes, D1 and API tokens. A stack without
                          records and Workers needs none
  HOMEPORT_GRAPH_TOKEN    a Microsoft Graph token that can read applications, from az account get-access-token; or instead
  AZURE_FEDERATED_TOKEN_FILE, AZURE_TENANT_ID, AZURE_CLIENT_ID
                          the identity of a run, which is exchanged for one
  GITHUB_TOKEN            with the key repository: a token that can read its environments
  HOMEPORT_ISSUE_TOKEN    a GitHub token with actions: read, for the state of workflows; with issues: write for --issue
  GITHUB_REPOSITORY       owner/name, as GitHub Actions sets it; both are required for --issue
  GITHUB_API_URL          base URL of the API (https://api.github.com)
  GITHUB_ACTIONS          if true, also print annotations
  GITHUB_STEP_SUMMARY     file that a summary is appended to

Exit status: 0 no difference, 1 differences or failed, 2 wrong options.
`

const options = {
  stack: { type: 'string' },
  issue: { type: 'boolean', default: false },
  ...helpOption,
} as const

/** What no refresh sees. */
const unseenChecks: readonly Check[] = [
  missingChecks,
  unfinishedChecks,
  ...cloudflareChecks,
  workerChecks,
  routeChecks,
  ...entraChecks,
  handOverChecks,
  expiryChecks,
]

/** Compares the stack with what exists. Sets the exit status to 1 if anything differs. */
async function reportDrift({ stack: chosen, issue }: Chosen<typeof options>): Promise<number> {
  const { env } = process
  const now = Date.now()
  const stack = await readStack(chosen, now)
  const { name, settings, state } = stack
  const notify = issue ? keepIssue(env) : null
  const look = settings && lookAt(stack, settings, env, now)
  const differences = [
    ...stack.problems.map(problem =>
      differs(
        `The configuration is wrong, so nothing else was compared: ${problem}`,
        'Then run npm run drift again.',
      ),
    ),
    ...pendingDifferences(state),
    ...(look ? await compare(look) : []),
    ...(await findAll([() => workflowDifferences(env)])),
  ]
  for (const difference of differences) {
    process.stdout.write(`${lineOf(difference)}\n`)
    if (env['GITHUB_ACTIONS'] === 'true') process.stdout.write(`${annotationOf(difference)}\n`)
  }
  process.stdout.write(`${describeCounts(name, differences)}\n`)
  if (env['GITHUB_STEP_SUMMARY']) await appendFile(env['GITHUB_STEP_SUMMARY'], summaryOf(name, differences))
  const said = settings && (await notify?.(expiryNotice(name, settings, state, now)))
  if (said) process.stdout.write(`${said}\n`)
  return differences.length > 0 ? 1 : 0
}

/** Resolves to what differs from the state, and to what no refresh sees. */
export const compare = (look: Look): Promise<readonly Difference[]> =>
  findAll([...rowChecks(look), ...unseenChecks].map(check => () => check(look)))

const lineOf = ({ text, fix }: Difference): string => `${text} ${fix}`

/** Formats a difference as a workflow command of GitHub Actions, escaped as @actions/core does. */
export function annotationOf(difference: Difference): string {
  const message = lineOf(difference).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return `::${difference.kind === 'warns' ? 'warning' : 'error'} title=Drift::${message}`
}

/** Says how many differences there are, and apart from them how much nobody knows. */
function describeCounts(name: string, differences: readonly Difference[]): string {
  if (differences.length === 0) return `No drift: stack ${name} is as the last run left it.`
  const unread = differences.filter(({ kind }) => kind === 'unread').length
  const count = differences.length - unread
  const none = count === 0 ? 'no known difference' : `${count} differences`
  const found = `Stack ${name} has ${count === 1 ? 'one difference' : none}`
  return unread === 0 ? `${found}.` : `${found}, and ${unread === 1 ? 'one read' : `${unread} reads`} failed.`
}

/** Formats the job's summary. As preformatted HTML, no remote text can become Markdown. */
export function summaryOf(stack: string, differences: readonly Difference[]): string {
  const title = `## Drift of stack ${escapeHtml(stack)}\n\n`
  if (differences.length === 0) return `${title}No drift.\n`
  return `${title}<pre>\n${differences.map(one => `${escapeHtml(lineOf(one))}\n`).join('')}</pre>\n`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Runs the command. Returns the exit status. */
export function runDrift(args: readonly string[]): Promise<number> {
  return runCommand({ args, call: 'npm run drift --', help, options }, terminal, reportDrift)
}

if (import.meta.main) process.exitCode = await runDrift(process.argv.slice(2))
