import { pulumiCli } from '../../tools/pulumi-cli.ts'
import { searchPath } from '../../tools/pulumi-project.ts'
import type { Services } from '../support/engine/services.ts'
import { type Allowed, createUserToken } from '../support/services.ts'
import { Terminal, type TerminalOptions } from './terminal.ts'
import { cloneThisCheckout, npmScript } from './upstream.ts'

/**
 * Opens a terminal with the real CLI, whose stacks and commands find emulated services in place of the public ones.
 * @param config keys of each new stack, besides Cloudflare's address
 * @param variables of each run of the CLI, as a shell sets them
 */
export async function openStackTerminal(
  services: Services,
  options: TerminalOptions,
  config: Readonly<Record<string, string>> = {},
  variables = '',
): Promise<Terminal> {
  const { cloudflare, entra, github, echo } = services.sandbox.description
  const pulumi = await pulumiCli(line => void process.stderr.write(`${line}\n`))
  const cli = `${variables} '${pulumi}'`
  const keys = Object.entries({ 'cloudflare:baseUrl': cloudflare.apiUrl, ...config })
  const set = keys.map(([key, value]) => `--plaintext '${key}=${value}'`)
  return Terminal.open({
    ...options,
    programs: {
      ...options.programs,
      npm: npmScript,
      pulumi: `${cli} "$@" || exit\nif [ "$1 $2" = 'stack init' ]; then ${cli} config set-all ${set.join(' ')}; fi`,
    },
    env: {
      PATH: searchPath(pulumi),
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      PULUMI_SKIP_CONFIRMATIONS: 'true',
      NO_COLOR: '1',
      GIT_CONFIG_GLOBAL: await cloneThisCheckout(),
      SSL_CERT_FILE: services.authority,
      CLOUDFLARE_BASE_URL: cloudflare.apiUrl,
      CLOUDFLARE_API_URL: cloudflare.apiUrl,
      GITHUB_API_URL: github.baseUrl,
      GRAPH_URL: entra.graphUrl,
      ARM_METADATA_HOSTNAME: entra.metadataHost,
      HOMEPORT_BASE_URL: cloudflare.baseUrl,
      HOMEPORT_ADDRESS_SOURCES: echo.join('\n'),
      HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
    },
  })
}

/**
 * Creates the tokens that the pages have a reader create in the dashboard. Returns them by the names of their files.
 * @param ofZone what the stack has in the zone, and in the account
 */
export async function createTokens(
  { at }: Services,
  ofZone: readonly string[],
  ofAccount: readonly string[] = [],
  fields = {},
): Promise<Map<string, string>> {
  const self = 'com.cloudflare.api.user.*'
  const groups = (verb: string): readonly Allowed[] => [
    [`com.cloudflare.api.account.zone.${at.zoneId}`, ...ofZone.map(group => `${group} ${verb}`)],
    [`com.cloudflare.api.account.${at.accountId}`, ...ofAccount.map(group => `${group} ${verb}`)],
  ]
  const tokens: Readonly<Record<string, readonly Allowed[]>> = {
    'minting-token': [[self, 'API Tokens Write']],
    'deploy-token': groups('Write'),
    'reading-token': [...groups('Read'), [self, 'API Tokens Read']],
  }
  const values = new Map<string, string>()
  for (const [name, allowed] of Object.entries(tokens)) {
    const given = allowed.filter(([, ...names]) => names.length > 0)
    values.set(name, (await createUserToken(at, name, given, fields)).value)
  }
  return values
}
