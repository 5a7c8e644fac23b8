import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Finding } from '../../../infra/bootstrap/steps.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { stateOf } from '../../../sandbox/testing/state.ts'
import { type Allowed, createUserToken, graphToken } from '../../support/services.ts'

const start = () => startSandbox({ entra: { redirectUris: [] }, github: true })
type Sandbox = Awaited<ReturnType<typeof start>>

/** The services that bootstrap reads, and what a terminal knows of them. */
interface Setup {
  sandbox: Sandbox
  env: NodeJS.ProcessEnv
  /** It may do what it needs, and no more. */
  mintingToken: string
}

/** What the page sets for every command of the CLI. */
export const cliVariables = { PULUMI_RUN_PROGRAM: 'true', PULUMI_OPTION_POLICY_PACK: 'infra/policy' }
export const clientId = '11111111-2222-3333-4444-555555555555'
export const driftClientId = '22222222-2222-3333-4444-555555555555'

/** Starts the services for the tests of a file. They begin each test as they were. */
export function useSetup(): Setup {
  // Set before the first test.
  const setup = {} as Setup
  let initial: ReturnType<typeof stateOf>
  beforeAll(async () => {
    setup.sandbox = await start()
    const { cloudflare, entra, github } = setup.sandbox.description
    setup.env = {
      ...cliVariables,
      CLOUDFLARE_BASE_URL: cloudflare.apiUrl,
      CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
      CLOUDFLARE_READING_TOKEN: await tokenFor(
        setup,
        ['DNS Read', 'Workers Routes Read'],
        ['Workers Scripts Read', 'D1 Read'],
        ['API Tokens Read'],
      ),
      GRAPH_URL: entra.graphUrl,
      GITHUB_API_URL: github.baseUrl,
      GITHUB_REPOSITORY: `${github.owner}/${github.repository}`,
      GITHUB_TOKEN: github.token,
      ARM_CLIENT_ID: clientId,
      ARM_DRIFT_CLIENT_ID: driftClientId,
      HOMEPORT_GRAPH_TOKEN: await graphToken(entra),
    }
    setup.mintingToken = await tokenFor(setup, [], [], ['API Tokens Write'])
    initial = structuredClone(stateOf(setup.sandbox.control))
  })
  beforeEach(() => {
    setup.sandbox.control.setState({ entra: initial.entra, github: initial.github } as never)
    setup.sandbox.control.clearJournal()
  })
  afterAll(() => setup.sandbox.close())
  return setup
}

/** Creates a token with permissions for the zone, the account and its owner. Resolves to its value. */
export async function tokenFor(
  { sandbox }: Setup,
  zone: readonly string[],
  account: readonly string[] = [],
  user: readonly string[] = [],
  tokens?: string,
): Promise<string> {
  const { cloudflare } = sandbox.description
  const scope = 'com.cloudflare.api'
  const allowed: readonly Allowed[] = [
    [`${scope}.account.zone.${cloudflare.zoneId}`, ...zone],
    [`${scope}.account.${cloudflare.accountId}`, ...account],
    [`${scope}.user.*`, ...user],
  ]
  const given = allowed.filter(([, ...groups]) => groups.length > 0)
  return (await createUserToken(cloudflare, 'made', given, {}, tokens)).value
}

export const textsOf = (findings: readonly Finding[]) => findings.map(({ text }) => text)
export const missingIn = (findings: readonly Finding[]) =>
  textsOf(findings.filter(({ level }) => level === 'missing'))
export const methodsSent = ({ sandbox }: Setup) => [
  ...new Set(sandbox.control.journal().map(({ method }) => method)),
]
