import { type Chosen, Refusal } from '../program.ts'
import { checkCloudflare } from './bootstrap/cloudflare.ts'
import { checkEntra } from './bootstrap/entra.ts'
import { checkGitHub } from './bootstrap/github.ts'
import { checkHandOverAlone } from './bootstrap/hand-over.ts'
import { checkHosts, checkPushHost } from './bootstrap/hosts.ts'
import { checkLocally } from './bootstrap/local.ts'
import { type Path, paths } from './finding.ts'
import { jsonOf, nextOf, reportOf } from './report.ts'

export const help = `Usage: npm run bootstrap -- --check [options]

Checks what docs/deploy.md sets up, prints what is correct and what is
missing, and names the next step with its command. It only reads: every request is a GET, and nothing is stored. Without a
credential for a service, it says which one to set, and continues with the others.

Options
  --check        check, and change nothing (required)
  --stack NAME   use this stack instead of the selected one
  --json         print one JSON object
  --help         show this help

Environment
  GITHUB_REPOSITORY          owner/name of your repository
  GITHUB_TOKEN               a token that can read its environments, variables, workflows and the names of its secrets
  HOMEPORT_GITHUB_TOKEN      the token with which pulumi up hands over, to check its end
  HOMEPORT_GRAPH_TOKEN       a Microsoft Graph token, from az account get-access-token
  ARM_TENANT_ID              the tenant
  ARM_CLIENT_ID, ARM_DRIFT_CLIENT_ID
                             client IDs of the applications that deploy and compare (the repository's variables)
  CLOUDFLARE_API_TOKEN       the deploy token
  CLOUDFLARE_READING_TOKEN   the reading token
  CLOUDFLARE_MINTING_TOKEN   the minting token (the stack's mintingApiToken)
  HOMEPORT_SIGN_IN, HOMEPORT_RECORD, HOMEPORT_PUSH
                             the parts that the stack will have, until it exists: worker, host or none, true or false, and worker
                             or none
  CLOUDFLARE_ZONE_ID, CLOUDFLARE_ACCOUNT_ID, HOMEPORT_HOSTNAME, HOMEPORT_RECORD_TYPE, HOMEPORT_ORIGIN, HOMEPORT_PUSH_ORIGIN
                             what else it will have
  HOMEPORT_NAME_SERVERS      name servers to ask for hosts, address:port, instead of this machine's
  PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, AZURE_STORAGE_ACCOUNT
                             what pulumi needs
  CLOUDFLARE_BASE_URL, GRAPH_URL, GITHUB_API_URL
                             other base URLs of the three services

Exit status: 0 nothing is missing, 1 something is missing or failed, 2 wrong options.
`

export const options = {
  check: { type: 'boolean', default: false },
  stack: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const noGitHub = { clientId: null, driftClientId: null, subject: null }

/** Checks a set-up. Sets the exit status to 1 if anything is missing. */
export async function run({ check, stack, json }: Chosen<typeof options>): Promise<void> {
  if (!check) throw new Refusal('Add --check: this command only checks. See npm run bootstrap -- --help.', 2)
  const { env } = process
  const local = await checkLocally(stack, env, Date.now())
  const { signIn } = local.parts
  const [cloudflare, hosts, pushHost, github] = await Promise.all([
    checkCloudflare(local, env),
    signIn === 'host' ? checkHosts(local, env) : [],
    checkPushHost(local, env),
    signIn === 'none' ? { ...noGitHub, ...(await checkHandOverAlone(local, env)) } : checkGitHub(local, env),
  ])
  const entra =
    signIn === 'none'
      ? []
      : await checkEntra(
          local,
          env,
          {
            ARM_CLIENT_ID: env['ARM_CLIENT_ID'] || github.clientId,
            ARM_DRIFT_CLIENT_ID: env['ARM_DRIFT_CLIENT_ID'] || github.driftClientId,
          },
          github.subject,
        )
  const findings = [...local.findings, ...github.findings, ...cloudflare, ...hosts, ...pushHost, ...entra]
  const path: Path = signIn === 'none' ? paths.record : paths.signIn
  process.stdout.write(json ? jsonOf(findings, path) : reportOf(findings, path))
  if (nextOf(findings, path) !== null) process.exitCode = 1
}
