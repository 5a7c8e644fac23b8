/** An answer of a service that we can tell apart. What is missing here is not looked at. */
export interface Expected {
  readonly status?: number
  /** The error of OAuth, or Graph's error code, is one of these. */
  readonly errors?: readonly string[]
  /** The AADSTS number is one of these. Microsoft says that numbers can change. */
  readonly numbers?: readonly number[]
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
  /** By what they mean. The first that is expected counts. */
  readonly answers: Readonly<Record<string, Expected>>
}

/** Has the form of Entra's codes: it refuses a wrong credential before it redeems one (seen in threads). No tenant issued it. */
const impossibleCode = `1.A${'A'.repeat(48)}.AgABBAIAAAA${'A'.repeat(200)}`

const request = { client_id: '{client}', redirect_uri: '{redirectUri}', scope: 'User.Read' }

/** Requests that change nothing, by what they find out. */
export const probes = {
  discovery: {
    url: '{authority}/v2.0/.well-known/openid-configuration',
    answers: {
      known: { status: 200, observed: false },
      unknown: { numbers: [90002, 900023], observed: false },
    },
  },
  redirectUri: {
    url: '{authority}/oauth2/v2.0/authorize',
    query: {
      ...request,
      ...{ response_type: 'code', response_mode: 'query', prompt: 'none', state: '{state}' },
      ...{ code_challenge: '{challenge}', code_challenge_method: 'S256' },
    },
    answers: {
      registered: {
        errors: ['login_required', 'interaction_required', 'consent_required'],
        observed: false,
      },
      unregistered: { numbers: [50011], observed: false },
      unknown: { numbers: [700016, 90002, 900023], observed: false },
    },
  },
  credential: {
    url: '{authority}/oauth2/v2.0/token',
    form: { ...request, grant_type: 'authorization_code', code: impossibleCode, code_verifier: '{verifier}' },
    answers: {
      unregistered: { numbers: [50011], observed: false },
      refused: { errors: ['invalid_client'], observed: false },
      // Means that the credential is right, once a wrong one was seen to be refused with the same code.
      notRefused: { errors: ['invalid_grant'], observed: false },
    },
  },
  profile: {
    url: '{graph}/v1.0/me',
    answers: { withoutToken: { status: 401, errors: ['InvalidAuthenticationToken'], observed: false } },
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
  found: { readonly status: number; readonly error: string; readonly number: number | null },
): string | undefined {
  const isExpected = ({ status = found.status, errors = [found.error], numbers }: Expected) =>
    status === found.status &&
    errors.includes(found.error) &&
    (numbers === undefined || numbers.some(number => number === found.number))
  return Object.keys(answers).find(name => answers[name] && isExpected(answers[name]))
}
