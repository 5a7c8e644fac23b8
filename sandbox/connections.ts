import type { SandboxDescription } from './description.ts'

/** A value to configure a client with, and what it is for or the setting that takes it. */
type Row = readonly [name: string, value: string, note?: string]

/** The values of a service, or only a note if it is not running. */
interface ConnectionGroup {
  readonly title: string
  readonly rows: readonly Row[]
  readonly note: string
}

const group = (title: string, rows: readonly Row[], note = ''): ConnectionGroup => ({ title, rows, note })

/** Returns a row for each value, numbered if there are several. */
const numbered = (name: string, values: readonly string[], note = ''): Row[] =>
  values.map((value, at): Row => [values.length === 1 ? name : `${name} ${at + 1}`, value, note])

function dnsApi({ cloudflare, https }: SandboxDescription): ConnectionGroup {
  const { baseUrl, apiUrl, httpsUrl, accountId, zoneId, zoneName, dnsToken, adminToken } = cloudflare
  return group('DNS API and Workers', [
    ['DNS API', apiUrl, 'CLOUDFLARE_BASE_URL'],
    ['over HTTPS', `${httpsUrl}/client/v4`, '--ca FILE saves its certificate authority'],
    ['DNS token', dnsToken, 'can edit DNS in this zone'],
    ['admin token', adminToken, 'can do everything'],
    ['zone', zoneId, zoneName],
    ['account', accountId],
    ['Workers', `127.0.0.1:${new URL(baseUrl).port}`, `also :${https.port}; the Host header selects one`],
  ])
}

const dns = ({ nameServers, doh, echo }: SandboxDescription): ConnectionGroup =>
  group('DNS and addresses', [
    ...numbered(
      'name server',
      nameServers.map(({ host, port }) => `${host}:${port}`),
      'UDP',
    ),
    ...numbered('resolver', doh, 'DNS over HTTPS'),
    ...numbered('address echo', echo),
  ])

function signIn({ entra }: SandboxDescription): ConnectionGroup {
  const title = 'Sign-in (Entra)'
  if (entra === undefined) return group(title, [], 'Not running.')
  const { tenantId, clientId, clientSecret, instance, graphUrl, redirectUri, metadataHost } = entra
  const { deployer, users } = entra
  return group(
    title,
    [
      ['sign-in', instance, 'INSTANCE'],
      ['Graph', graphUrl, 'GRAPH_URL'],
      ['tenant', tenantId, 'TENANT_ID, ARM_TENANT_ID'],
      ['client id', clientId, 'CLIENT_ID'],
      ['client secret', clientSecret, 'CLIENT_SECRET'],
      ['redirect URI', redirectUri, 'REDIRECT_URI'],
      ['metadata host', metadataHost, 'ARM_METADATA_HOSTNAME, over HTTPS'],
      ['deployer', deployer.clientId, 'ARM_CLIENT_ID'],
      ['deployer secret', deployer.clientSecret, 'ARM_CLIENT_SECRET'],
      ...users.map(({ id, userPrincipalName, displayName, outcome = 'ok' }, at): Row => {
        const ending = outcome === 'ok' ? '' : `, sign-in ends with ${outcome}`
        return [`user ${at + 1}`, userPrincipalName, `${displayName}${ending}; Object ID ${id}`]
      }),
    ],
    'Users have no passwords: choose one on the sign-in page.',
  )
}

function github({ github: api }: SandboxDescription): ConnectionGroup {
  const title = 'GitHub API'
  if (api === undefined) return group(title, [], 'Not running. Start the sandbox with --github.')
  return group(title, [
    ['GitHub API', api.baseUrl, 'GITHUB_BASE_URL'],
    ['repository', `${api.owner}/${api.repository}`],
    ['token', api.token, 'can write everything in the repository'],
    ['workflow token', api.workflowToken, 'GITHUB_TOKEN of a workflow'],
  ])
}

/** Returns the values to configure clients with, by service. */
export const connectionsOf = (description: SandboxDescription): ConnectionGroup[] => [
  dnsApi(description),
  dns(description),
  signIn(description),
  github(description),
  group('Tests', [['control', description.control, 'journal, faults, clock and state']]),
]
