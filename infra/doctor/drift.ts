import { appendFile } from 'node:fs/promises'
import { type Chosen, Refusal } from '../program.ts'
import { connectCloudflare, type Read } from './clients/cloudflare.ts'
import { cloudflareDifferences } from './drift/cloudflare.ts'
import { entraDifferences } from './drift/entra.ts'
import { handOverDifferences } from './drift/hand-over.ts'
import { expiryNotice, keepIssue } from './drift/issue.ts'
import { missingDifferences } from './drift/missing.ts'
import { pendingDifferences } from './drift/pending.ts'
import { workflowDifferences } from './drift/schedule.ts'
import { expiringDifferences } from './expiry.ts'
import { differs, type Finding } from './finding.ts'
import { annotationOf, lineOf, summaryOf } from './report.ts'
import { readStack, type StackView } from './stack.ts'

export const help = `Usage: npm run drift -- [options]

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

export const options = {
  stack: { type: 'string' },
  issue: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Compares the stack with what exists. Sets the exit status to 1 if anything differs. */
export async function run({ stack: chosen, issue }: Chosen<typeof options>): Promise<void> {
  const { env } = process
  const now = Date.now()
  const stack = await readStack(chosen, now)
  const token = env['CLOUDFLARE_API_TOKEN'] ?? ''
  if (token === '' && usesCloudflare(stack)) {
    throw new Refusal(
      'CLOUDFLARE_API_TOKEN is not set. Set it to a token that can read DNS, Workers scripts, Workers routes, D1 and API tokens.',
    )
  }
  const read = connectCloudflare(stack.apiUrl, token)
  const notify = issue ? keepIssue(env) : null
  const differences = [...(await differencesOf(stack, read, now)), ...(await workflowDifferences(env))]

  for (const difference of differences) {
    process.stdout.write(`${lineOf(difference)}\n`)
    if (env['GITHUB_ACTIONS'] === 'true') process.stdout.write(`${annotationOf(difference)}\n`)
  }
  process.stdout.write(
    differences.length === 0
      ? `No drift: stack ${stack.name} is as the last run left it.\n`
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

/** Whether a stack has anything at Cloudflare, or had: a sign-in on a host alone has not. */
function usesCloudflare({ settings, state }: StackView): boolean {
  if (settings === null || settings.record !== null || settings.signIn?.worker) return true
  return state.resources.some(({ type }) => type.startsWith('cloudflare:'))
}

/** Compares the stack with what exists, in the order of the help. */
async function differencesOf(stack: StackView, read: Read, now: number): Promise<readonly Finding[]> {
  const { settings, problems, state } = stack
  const wrong = problems.map(problem =>
    differs(
      `The configuration is wrong, so nothing else was compared: homeport:${problem}`,
      'Then run npm run drift again.',
    ),
  )
  const pending = pendingDifferences(state)
  if (settings === null) return [...wrong, ...pending]
  return [
    ...wrong,
    ...pending,
    ...missingDifferences(settings, state),
    ...(await cloudflareDifferences(stack, settings, read)),
    ...(settings.signIn ? await entraDifferences(stack, settings.signIn, read, process.env) : []),
    ...(settings.record ? await handOverDifferences(state, settings.record, process.env) : []),
    ...expiringDifferences(settings, now),
  ]
}
