import { type Chosen, helpOption, runCommand, terminal } from '../../lib/command.ts'
import { checkCloudflare } from './cloudflare.ts'
import { checkEntra } from './entra.ts'
import { readLocal } from './local.ts'
import { headingsOf, reportOf } from './steps.ts'
import { checkBuilds, checkTools } from './tools.ts'

const help = `Usage: npm run bootstrap -- [options]

Says the next step of docs/deploy.md or docs/deploy-record.md, and checks what costs an hour otherwise: the tools, what each token may do, whom the
applications for CI trust and what they may do in Entra, and that the hostnames are in the zone and free. It only reads: every
request is a GET, and nothing is stored. What the CLI, a provider or GitHub says within a minute is left to them.

Options
  --stack NAME   use this stack instead of the selected one
  --help         show this help

Environment
  CLOUDFLARE_API_TOKEN, CLOUDFLARE_READING_TOKEN, CLOUDFLARE_MINTING_TOKEN
                             the deploy token, the reading token and the minting token (a stack has its own, mintingApiToken)
  ARM_CLIENT_ID, ARM_DRIFT_CLIENT_ID
                             the client IDs of the applications that deploy and compare
  HOMEPORT_GRAPH_TOKEN       a Microsoft Graph token, from az account get-access-token
  GITHUB_REPOSITORY, GITHUB_TOKEN
                             owner/name of your repository, whose runs the applications trust, and a token that can read it
  HOMEPORT_SIGN_IN, HOMEPORT_PUSH, HOMEPORT_HOSTNAME, HOMEPORT_ORIGIN, HOMEPORT_DOMAIN, HOMEPORT_TOKENS_END,
  CLOUDFLARE_ZONE_ID, CLOUDFLARE_ACCOUNT_ID
                             what the stack will have, until it exists: worker, host or none, worker or none, and so on
  PULUMI_RUN_PROGRAM, PULUMI_OPTION_POLICY_PACK
                             how the CLI runs: with the tokens of the configuration, and judged by the policies
  CLOUDFLARE_BASE_URL, GRAPH_URL, GITHUB_API_URL
                             other base URLs of the three services

Exit status: 0 nothing is missing, 1 something is missing or failed, 2 wrong options.
`

const options = {
  stack: { type: 'string' },
  ...helpOption,
} as const

/** Checks a set-up. Returns the exit status. */
async function reportNextStep({ stack }: Chosen<typeof options>): Promise<number> {
  const { env } = process
  const local = await readLocal(stack, env)
  const { hasSignIn, hasHandler } = local.plan
  const checked = await Promise.all([
    checkTools(env, hasSignIn),
    local.findings,
    checkBuilds(local.plan),
    local.isUnread ? [] : checkCloudflare(local, env),
    local.isUnread || !hasSignIn ? [] : checkEntra(env, local.stack?.settings?.signIn?.ownerObjectIds),
  ])
  const findings = checked.flat()
  const more = hasSignIn && !hasHandler ? ['the handler on its host'] : []
  process.stdout.write(reportOf(findings, headingsOf(hasSignIn), more))
  return findings.some(({ level }) => level === 'missing') ? 1 : 0
}

/** Runs the command. Returns the exit status. */
export function runBootstrap(args: readonly string[]): Promise<number> {
  return runCommand({ args, call: 'npm run bootstrap --', help, options }, terminal, reportNextStep)
}

if (import.meta.main) process.exitCode = await runBootstrap(process.argv.slice(2))
