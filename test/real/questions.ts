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
  readonly needsClient?: true
}

const entra = 'https://login.microsoftonline.com'
const organizations = `${entra}/organizations`
const graph = 'https://graph.microsoft.com'
const ownTenant = { authority: `${entra}/{tenant}`, redirectUri: 'http://localhost/homeport' }
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

/** Every question, in the order in which they are asked. */
export const questions: readonly Question[] = [
  {
    name: 'Entra: discovery of organizations',
    probe: probes.discovery,
    expected: 'known',
    values: { authority: organizations },
  },
  {
    name: 'Entra: an unknown client ID',
    probe: probes.unknownClient,
    expected: 'refused',
    values: {
      authority: organizations,
      client: '00000000-0000-4000-8000-000000000000',
      redirectUri: ownTenant.redirectUri,
    },
  },
  {
    name: 'Entra: a registered redirect URI',
    probe: probes.redirectUri,
    expected: 'registered',
    values: ownTenant,
    needsClient: true,
  },
  {
    name: 'Entra: another redirect URI',
    probe: probes.redirectUri,
    expected: 'unregistered',
    values: { ...ownTenant, redirectUri: 'http://localhost/another' },
    needsClient: true,
  },
  {
    name: 'Entra: a code that cannot exist',
    probe: probes.credential,
    expected: 'refused',
    values: ownTenant,
    needsClient: true,
  },
  {
    name: 'Graph: /me without a token',
    probe: probes.profile,
    expected: 'withoutToken',
    values: { graph },
  },
  { name: 'GitHub: a dispatch without a token', probe: others.dispatch, expected: 'withoutToken' },
  { name: 'Cloudflare: zones without a token', probe: others.zones, expected: 'withoutToken' },
  { name: 'Cloudflare: verify without a token', probe: others.verify, expected: 'withoutToken' },
  { name: 'Cloudflare: verify with an unknown token', probe: unknownToken, expected: 'unknownToken' },
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
