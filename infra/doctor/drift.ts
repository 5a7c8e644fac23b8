import { appendFile } from 'node:fs/promises'
import { readOptions, reportRefusal } from '../program.ts'
import { cloudflareDifferences } from './drift/cloudflare.ts'
import type { Difference } from './drift/difference.ts'
import { entraDifferences } from './drift/entra.ts'
import { expiringDifferences } from './drift/expiry.ts'
import { handOverDifferences } from './drift/hand-over.ts'
import { expiryNotice, keepIssue } from './drift/issue.ts'
import { pendingDifferences } from './drift/pending.ts'
import { annotationOf, lineOf, summaryOf } from './drift/report.ts'
import { workflowDifferences } from './drift/schedule.ts'
import { connect } from './drift/service.ts'
import { previewDifference, readStack, type StackView } from './drift/stack.ts'
import { tokenValueDifferences } from './drift/token-value.ts'

const help = `Usage: npm run drift -- [options]

Compares what exists with the state and the configuration of the stack, and looks for what neither knows: tokens and databases
with the stack's name, address records, registrations with its redirect URI, their service principals and client secrets, and
credentials that expire within 30 days. Prints one line for each difference, with its fix.
It only reads, needs no passphrase, and runs no program. Changes nothing.

Options
  --stack NAME   use this stack instead of the selected one
  --preview      also run a refreshed preview with the policies, which shows what the program would change, and ask whether
                 the value of the DNS token still works. Needs the passphrase
  --issue        keep one issue about credentials that expire soon: open, edit and close it
  --help         show this help

Environment: what pulumi stack export needs (with --preview, what pulumi preview needs), and
  CLOUDFLARE_API_TOKEN    a token that can read DNS, Workers scripts, Workers routes, D1 and API tokens
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

const optionNames = {
  stack: { type: 'string' },
  issue: { type: 'boolean', default: false },
  preview: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const parse = (args: readonly string[]) => readOptions(args, optionNames, 'drift')

async function drift({
  stack: chosen,
  issue,
  preview: withPreview,
}: ReturnType<typeof parse>): Promise<void> {
  const { env } = process
  const now = Date.now()
  const stack = await readStack(chosen, now)
  const service = connect(stack.apiUrl, env)
  const notify = issue ? keepIssue(env) : undefined
  const preview = withPreview ? await previewDifference(stack.name) : undefined
  const differences = [
    ...(preview ? [preview] : []),
    ...(await differencesOf(stack, service, now)),
    ...(withPreview && stack.settings ? await tokenValueDifferences(stack, stack.settings) : []),
    ...(await workflowDifferences(env)),
  ]

  for (const difference of differences) {
    process.stdout.write(`${lineOf(difference)}\n`)
    if (env['GITHUB_ACTIONS'] === 'true') process.stdout.write(`${annotationOf(difference)}\n`)
  }
  process.stdout.write(
    differences.length === 0
      ? `No drift: stack ${stack.name} is as declared.\n`
      : `Stack ${stack.name} has ${differences.length === 1 ? 'one difference' : `${differences.length} differences`}.\n`,
  )
  if (env['GITHUB_STEP_SUMMARY']) {
    await appendFile(env['GITHUB_STEP_SUMMARY'], summaryOf(stack.name, differences))
  }
  if (differences.length > 0) process.exitCode = 1
  const notice = stack.settings && expiryNotice(stack.name, stack.settings, now)
  const said = notify && notice && (await notify(notice))
  if (said) process.stdout.write(`${said}\n`)
}

/** Compares the stack with what exists, in the order of the help. */
async function differencesOf(
  stack: StackView,
  service: ReturnType<typeof connect>,
  now: number,
): Promise<readonly Difference[]> {
  const { settings, problems, state } = stack
  const wrong = problems.map(problem => ({
    level: 'error' as const,
    text: `The configuration is wrong, so nothing else was compared: homeport:${problem}`,
    cure: 'Then run npm run drift again.',
  }))
  const pending = pendingDifferences(state)
  if (settings === null) return [...wrong, ...pending]
  return [
    ...wrong,
    ...pending,
    ...(await cloudflareDifferences(stack, settings, service)),
    ...(await entraDifferences(stack, settings, service, process.env)),
    ...(await handOverDifferences(state, settings, process.env)),
    ...expiringDifferences(settings, now),
  ]
}

try {
  const options = parse(process.argv.slice(2))
  if (options.help) process.stdout.write(help)
  else await drift(options)
} catch (error) {
  reportRefusal(error)
}
