import { cloudflareApiUrl } from './cloudflare.ts'

/** An answer of a service that we can tell apart. What is missing here is not looked at. */
export interface Expected {
  readonly status?: number
  /**
   * It has one of these: an error of OAuth, Graph's error code, a code of Cloudflare, GitHub's message, or an AADSTS number.
   * Microsoft says that numbers can change.
   */
  readonly codes?: readonly (string | number)[]
  /** The JSON that we read: fields in `readFields` by value, others by type. */
  readonly body?: object
  /** `address`: the body is one address of the probe's family. */
  readonly text?: 'address'
  /** The status is below 400, and a redirect stays at this host. */
  readonly host?: string
  /** The day on which the real service was seen to answer so; false if nobody here has seen it. */
  readonly observed: string | false
}

/** What we ask a service, and the answers that mean something. `fillProbe` replaces names in braces. */
export interface Probe {
  readonly url: string
  /** The query of a GET. */
  readonly query?: Readonly<Record<string, string>>
  /** The form of a POST. */
  readonly form?: Readonly<Record<string, string>>
  /** The body of a POST. */
  readonly json?: object
  readonly headers?: Readonly<Record<string, string>>
  /** The address family to ask over. */
  readonly family?: 4 | 6
  readonly maxBytes?: number
  /** By what they mean. The first that is expected counts. */
  readonly answers: Readonly<Record<string, Expected>>
}

/** Has the form of Entra's codes: it refuses a wrong credential before it redeems one (seen in threads). No tenant issued it. */
const impossibleCode = `1.A${'A'.repeat(48)}.AgABBAIAAAA${'A'.repeat(200)}`

const request = { client_id: '{client}', redirect_uri: '{redirectUri}', scope: 'User.Read' }

const authorization = {
  ...request,
  ...{ response_type: 'code', response_mode: 'query', prompt: 'none', state: '{state}' },
  ...{ code_challenge: '{challenge}', code_challenge_method: 'S256' },
}

/** Requests that change nothing, by what they find out. */
export const probes = {
  discovery: {
    url: '{authority}/v2.0/.well-known/openid-configuration',
    answers: {
      known: {
        status: 200,
        body: {
          issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
          authorization_endpoint: 'https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize',
          token_endpoint: 'https://login.microsoftonline.com/organizations/oauth2/v2.0/token',
          msgraph_host: 'graph.microsoft.com',
        },
        observed: false,
      },
      unknown: { codes: [90002, 900023], observed: false },
    },
  },
  redirectUri: {
    url: '{authority}/oauth2/v2.0/authorize',
    query: authorization,
    answers: {
      registered: {
        codes: ['login_required', 'interaction_required', 'consent_required'],
        observed: false,
      },
      unregistered: { codes: [50011], observed: false },
      unknown: { codes: [700016, 90002, 900023], observed: false },
    },
  },
  credential: {
    url: '{authority}/oauth2/v2.0/token',
    form: { ...request, grant_type: 'authorization_code', code: impossibleCode, code_verifier: '{verifier}' },
    answers: {
      unregistered: { codes: [50011], observed: false },
      refused: { codes: ['invalid_client'], observed: false },
      // Means that the credential is right, once a wrong one was seen to be refused with the same code.
      notRefused: { codes: ['invalid_grant'], observed: false },
    },
  },
  profile: {
    url: '{graph}/v1.0/me',
    answers: { withoutToken: { status: 401, codes: ['InvalidAuthenticationToken'], observed: false } },
  },
  unknownClient: {
    ...{ url: '{authority}/oauth2/v2.0/authorize', query: authorization },
    answers: { refused: { codes: [700016], observed: false } },
  },
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

/** Returns the URL and the form of a probe with its values. */
export function fillProbe({ url, query, form }: Probe, values: Readonly<Record<string, string>>) {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
  const fields = (given: Probe['query'] = {}) =>
    new URLSearchParams(Object.entries(given).map(([name, text]): [string, string] => [name, fill(text)]))
  return { url: `${fill(url)}${query ? `?${fields(query)}` : ''}`, form: form ? fields(form) : undefined }
}

/** Returns what an answer means, by its name in the probe; undefined if nothing of that is known. */
export function meaningOf(
  { answers }: Probe,
  found: { readonly status: number; readonly codes: readonly unknown[] },
): string | undefined {
  return Object.keys(answers).find(name => answers[name] && isExpected(answers[name], found))
}

/** Returns whether an answer has the expected status and one of the expected codes. */
export function isExpected(
  { status, codes }: Expected,
  found: { readonly status: number; readonly codes: readonly unknown[] },
): boolean {
  return (
    (status ?? found.status) === found.status && (codes?.some(code => found.codes.includes(code)) ?? true)
  )
}

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
const unknownToken = { ...probes.verify, headers: { authorization: `Bearer ${'0'.repeat(40)}` } }
const notFound: Expected = { status: 200, body: { Status: 3, TC: false }, observed: false }
const chain = { Status: 0, TC: false, Question: [{ type: 1 }], Answer: [{ type: 5, TTL: 0 }, { type: 1 }] }

/** Echo services that the action asks by default, by family. */
export const echoes = {
  4: ['https://api4.ipify.org', 'https://checkip.amazonaws.com', 'https://ipv4.icanhazip.com'],
  6: ['https://api6.ipify.org', 'https://checkipv6.dedyn.io', 'https://ipv6.icanhazip.com'],
} as const

/** Resolvers that the action asks. */
export const resolvers = ['https://cloudflare-dns.com/dns-query', 'https://dns.google/resolve'] as const

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
    ...{ name: 'Entra: discovery of organizations', probe: probes.discovery, expected: 'known' },
    values: { authority: organizations },
  },
  {
    ...{ name: 'Entra: an unknown client ID', probe: probes.unknownClient, expected: 'refused' },
    values: {
      ...{ authority: organizations, client: '00000000-0000-4000-8000-000000000000' },
      redirectUri: ownTenant.redirectUri,
    },
  },
  {
    ...{ name: 'Entra: a registered redirect URI', probe: probes.redirectUri, expected: 'registered' },
    ...{ values: ownTenant, needsClient: true },
  },
  {
    ...{ name: 'Entra: another redirect URI', probe: probes.redirectUri, expected: 'unregistered' },
    ...{ values: { ...ownTenant, redirectUri: 'http://localhost/another' }, needsClient: true },
  },
  {
    ...{ name: 'Entra: a code that cannot exist', probe: probes.credential, expected: 'refused' },
    ...{ values: ownTenant, needsClient: true },
  },
  {
    ...{ name: 'Graph: /me without a token', probe: probes.profile, expected: 'withoutToken' },
    values: { graph },
  },
  { name: 'GitHub: a dispatch without a token', probe: probes.dispatch, expected: 'withoutToken' },
  { name: 'Cloudflare: zones without a token', probe: probes.zones, expected: 'withoutToken' },
  { name: 'Cloudflare: verify without a token', probe: probes.verify, expected: 'withoutToken' },
  { name: 'Cloudflare: verify with an unknown token', probe: unknownToken, expected: 'unknownToken' },
  ...([4, 6] as const).flatMap(family =>
    echoes[family].map(url => ({
      name: `echo: ${url} over IPv${family}`,
      probe: {
        ...{ url, family, headers: { accept: 'text/plain' }, maxBytes: 64 },
        answers: { address: { status: 200, text: 'address', observed: false } as const },
      },
      expected: 'address',
    })),
  ),
  ...resolvers.flatMap(url => {
    const headers = { accept: 'application/dns-json, application/json' }
    const probe = (name: string, found: Expected): Probe => ({
      ...{ url, query: { name, type: 'A' }, headers, maxBytes: 16 * 1024, answers: { found } },
    })
    return [
      {
        ...{ name: `resolver: ${url} follows a CNAME`, expected: 'found' },
        probe: probe('{alias}', { status: 200, body: chain, observed: false }),
      },
      {
        ...{ name: `resolver: ${url} knows no such name`, expected: 'found' },
        probe: probe('{missing}', notFound),
      },
    ]
  }),
  ...links.map(url => ({
    ...{ name: `link: ${url}`, expected: 'answers' },
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
