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
  response_type: 'code',
  response_mode: 'query',
  prompt: 'none',
  state: '{state}',
  code_challenge: '{challenge}',
  code_challenge_method: 'S256',
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
    url: '{authority}/oauth2/v2.0/authorize',
    query: authorization,
    answers: { refused: { codes: [700016], observed: false } },
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
