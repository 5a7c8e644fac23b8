import type { Chosen } from '../program.ts'
import { checkCloudflare } from './bootstrap/cloudflare.ts'
import { checkEntra } from './bootstrap/entra.ts'
import { readLocal } from './bootstrap/stack.ts'
import { checkTools } from './bootstrap/tools.ts'
import { paths } from './finding.ts'
import { jsonOf, nextOf, reportOf } from './report.ts'

export const help = `Usage: npm run bootstrap -- [options]

Says the next step of docs/deploy.md, and checks what costs an hour otherwise: the tools, what each token may do, whom the
applications for CI trust and what they may do in Entra, and that the hostnames are in the zone and free. It only reads: every
request is a GET, and nothing is stored. What the CLI, a provider or GitHub says within a minute is left to them.

Options
  --stack NAME   use this stack instead of the selected one
  --json         print one JSON object
  --help         show this help

Environment
  CLOUDFLARE_API_TOKEN, CLOUDFLARE_READING_TOKEN, CLOUDFLARE_MINTING_TOKEN
                             the deploy token, the reading token and the minting token (a stack has its own, mintingApiToken)
  ARM_TENANT_ID, ARM_CLIENT_ID, ARM_DRIFT_CLIENT_ID
                             the tenant, and the client IDs of the applications that deploy and compare
  HOMEPORT_GRAPH_TOKEN       a Microsoft Graph token, from az account get-access-token
  GITHUB_REPOSITORY, GITHUB_TOKEN
                             owner/name of your repository, whose runs the applications trust, and a token that can read it
  HOMEPORT_SIGN_IN, HOMEPORT_RECORD, HOMEPORT_PUSH
                             the parts that the stack will have, until it exists: worker, host or none, true or false, and worker
                             or none
  CLOUDFLARE_ZONE_ID, CLOUDFLARE_ACCOUNT_ID, HOMEPORT_HOSTNAME, HOMEPORT_RECORD_TYPE
                             what else it will have
  CLOUDFLARE_BASE_URL, GRAPH_URL, GITHUB_API_URL
                             other base URLs of the three services

Exit status: 0 nothing is missing, 1 something is missing or failed, 2 wrong options.
`

export const options = {
  stack: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Checks a set-up. Sets the exit status to 1 if anything is missing. */
export async function run({ stack, json }: Chosen<typeof options>): Promise<void> {
  const { env } = process
  const local = await readLocal(stack, env, Date.now())
  const hasSignIn = local.parts.signIn !== 'none'
  const [tools, cloudflare, entra] = await Promise.all([
    checkTools(env, hasSignIn),
    checkCloudflare(local, env),
    hasSignIn ? checkEntra(env) : [],
  ])
  const findings = [...tools, ...local.findings, ...cloudflare, ...entra]
  const path = hasSignIn ? paths.signIn : paths.record
  process.stdout.write(json ? jsonOf(findings, path) : reportOf(findings, path))
  if (nextOf(findings, path) !== null) process.exitCode = 1
}
