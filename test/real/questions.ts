import { resolvers } from '../../action/address/resolver.ts'
import { defaultEchoUrls } from '../../action/inputs/addresses.ts'
import { cloudflareApiUrl } from '../../lib/cloudflare.ts'
import { type Expected, type Probe, probes } from '../../lib/probes.ts'

/** Requests that change nothing, to services that the handler's check does not ask. */
const others = {
  dispatch: {
    url: 'https://api.github.com/repos/{repository}/actions/workflows/reconcile.yml/dispatches',
    // Without a token nothing starts, and no branch has this name.
    json: { ref: 'homeport-check' },
    answers: { withoutToken: { status: 401, codes: ['Requires authentication'], observed: false } },
  },
  zones: {
    url: `${cloudflareApiUrl}/zones`,
    answers: { withoutToken: { status: 400, codes: [9106], observed: false } },
  },
  verify: {
    url: `${cloudflareApiUrl}/user/tokens/verify`,
    answers: {
      withoutToken: { status: 400, codes: [1001], observed: false },
      unknownToken: { status: 401, codes: [1000], observed: false },
    },
  },
} as const satisfies Readonly<Record<string, Probe>>

/** A row of the table: what the weekly workflow asks once, and the answer of the probe that is expected. */
export interface Question {
  readonly name: string
  readonly probe: Probe
  readonly expected: string
  /** Replaces names in braces. */
  readonly values?: Readonly<Record<string, string>>
  /** It needs the variables PROBE_TENANT_ID and PROBE_CLIENT_ID. */
  readonly needsClient?: boolean
}

const entra = 'https://login.microsoftonline.com'
const organizations = `${entra}/organizations`
const graph = 'https://graph.microsoft.com'
const ownTenant = { authority: `${entra}/{tenant}`, redirectUri: 'http://localhost/homeport' }
const anotherUri = { ...ownTenant, redirectUri: 'http://localhost/another' }
const unknownClient = {
  authority: organizations,
  client: '00000000-0000-4000-8000-000000000000',
  redirectUri: ownTenant.redirectUri,
}
const unknownToken = { ...others.verify, headers: { authorization: `Bearer ${'0'.repeat(40)}` } }
const notFound: Expected = { status: 200, body: { Status: 3, TC: false }, observed: false }
const chain = { Status: 0, TC: false, Question: [{ type: 1 }], Answer: [{ type: 5, TTL: 0 }, { type: 1 }] }

/** Links in our messages. A path in the repository has its owner in place of OWNER. */
export const links = [
  'https://dash.cloudflare.com/profile/api-tokens',
  'https://github.com/OWNER/homeport/blob/main/docs/inputs.md',
  'https://nodejs.org/en/download',
  'https://get.pulumi.com',
  'https://www.pulumi.com/docs/install/',
  'https://cli.github.com',
  'https://learn.microsoft.com/cli/azure/install-azure-cli',
  'https://opensource.org/license/mit',
] as const

type Row = readonly [
  name: string,
  probe: Probe,
  expected: string,
  values?: Question['values'],
  needsClient?: Question['needsClient'],
]
const rows: readonly Row[] = [
  ['Entra: discovery of organizations', probes.discovery, 'known', { authority: organizations }],
  ['Entra: an unknown client ID', probes.unknownClient, 'refused', unknownClient],
  ['Entra: a registered redirect URI', probes.redirectUri, 'registered', ownTenant, true],
  ['Entra: another redirect URI', probes.redirectUri, 'unregistered', anotherUri, true],
  ['Entra: a code that cannot exist', probes.credential, 'refused', ownTenant, true],
  ['Graph: /me without a token', probes.profile, 'withoutToken', { graph }],
  ['GitHub: a dispatch without a token', others.dispatch, 'withoutToken'],
  ['Cloudflare: zones without a token', others.zones, 'withoutToken'],
  ['Cloudflare: verify without a token', others.verify, 'withoutToken'],
  ['Cloudflare: verify with an unknown token', unknownToken, 'unknownToken'],
]

/** Every question, in the order in which they are asked. */
export const questions: readonly Question[] = [
  ...rows.map(([name, probe, expected, values = {}, needsClient = false]) => ({
    name,
    probe,
    expected,
    values,
    needsClient,
  })),
  ...([4, 6] as const).flatMap(family =>
    defaultEchoUrls[family === 4 ? 'A' : 'AAAA'].map(url => ({
      name: `echo: ${url} over IPv${family}`,
      probe: {
        url,
        family,
        headers: { accept: 'text/plain' },
        maxBytes: 64,
        answers: { address: { status: 200, text: 'address', observed: false } as const },
      },
      expected: 'address',
    })),
  ),
  ...resolvers.flatMap(url => {
    const headers = { accept: 'application/dns-json, application/json' }
    const probe = (name: string, found: Expected): Probe => ({
      url,
      query: { name, type: 'A' },
      headers,
      maxBytes: 16 * 1024,
      answers: { found },
    })
    return [
      {
        name: `resolver: ${url} follows a CNAME`,
        expected: 'found',
        probe: probe('{alias}', { status: 200, body: chain, observed: false }),
      },
      {
        name: `resolver: ${url} knows no such name`,
        expected: 'found',
        probe: probe('{missing}', notFound),
      },
    ]
  }),
  ...links.map(url => ({
    name: `link: ${url}`,
    expected: 'answers',
    probe: {
      url: url.replace('OWNER/homeport', '{repository}'),
      answers: { answers: { host: new URL(url).host, observed: false } as const },
    },
  })),
]

/** Fields of JSON that we read: of another value, something of ours would do something else. */
export const readFields: ReadonlySet<string> = new Set([
  ...['success', 'code', 'type', 'name', 'content', 'ttl', 'proxied', 'comment', 'tags', 'status'],
  ...['error', 'error_codes', 'to', 'issuer', 'authorization_endpoint', 'token_endpoint', 'msgraph_host'],
  ...['Status', 'TC', 'page', 'total_pages', 'total_count', 'displayName', 'redirectUris'],
])

/** Where the double differs on purpose, in a recording of the real service. */
export const intended: readonly { readonly where: RegExp; readonly reason: string }[] = [
  {
    where: /openid-configuration .*: (?:\S+ )?nothing instead of/,
    reason: 'The double leaves out what nobody here reads in a discovery document.',
  },
  {
    where: /\/environments\/\S+\/secrets/,
    reason: 'A secret is sealed for one key of GitHub, so a recording has none that the double could open.',
  },
  {
    where: /\/(?:documentation_url|source|messages|meta|owner|account|plan|permissions)\b/,
    reason: 'Nobody here reads it, and it changes with the plan and the pages of the service.',
  },
]
