import type { ProblemCode } from '../http/problem.ts'

/** Codes by AADSTS number, from Microsoft's list of AADSTS errors. A number is more specific than `error`. */
const numbers: Readonly<Partial<Record<ProblemCode, readonly number[]>>> = {
  // Redirect URI not registered; wrong account type; not a multi-tenant application; redirect URI registered for the
  // platform of a public client, or of a single-page application.
  misconfigured: [50011, 500208, 50194, 700025, 9002327],
  'not-assigned': [50105],
  // Account locked, or disabled; password expired; second factor required; Conditional Access, risk, security defaults.
  // Most can come with invalid_grant, although nothing is wrong with the code.
  'sign-in-refused': [
    50053, 50055, 50057, 50072, 50074, 50076, 50079, 50097, 50131, 50144, 50158, 53000, 53001, 53002, 53003,
    53004, 53011, 530002, 530003, 530032, 530034, 530035, 530084,
  ],
  // No consent; consent declined; administrator consent required.
  'consent-required': [65001, 65004, 90093, 90094, 90095, 900941],
  // Code redeemed; code expired; wrong verifier.
  'sign-in-expired': [54005, 70008, 501481],
  // Secret wrong or expired; assertion expired, not yet valid or signed with an unknown key; federated token with an issuer,
  // subject or audience that is not trusted, or from an issuer whose keys Entra cannot read. Some come with invalid_request.
  'client-credential-rejected': [
    7000215, 7000222, 50012, 700024, 700027, 70021, 700211, 700212, 700213, 7000272, 90061,
  ],
  // Entra's own time limit.
  'provider-timeout': [90012],
}

const byNumber = new Map(
  Object.entries(numbers).flatMap(([code, list]) => list.map(number => [number, code as ProblemCode])),
)

/** Codes by `error` (RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6). */
const byError = new Map<string, ProblemCode>(
  Object.entries({
    access_denied: 'sign-in-refused',
    interaction_required: 'sign-in-refused',
    login_required: 'sign-in-refused',
    account_selection_required: 'sign-in-refused',
    consent_required: 'consent-required',
    invalid_grant: 'sign-in-expired',
    invalid_client: 'client-credential-rejected',
    unauthorized_client: 'misconfigured',
    invalid_request: 'misconfigured',
    invalid_scope: 'misconfigured',
    invalid_resource: 'misconfigured',
    unsupported_response_type: 'misconfigured',
    unsupported_grant_type: 'misconfigured',
    server_error: 'provider-error',
    temporarily_unavailable: 'provider-unavailable',
  }),
)

/** AADSTS number for a code redeemed with a wrong verifier: a sign of a stolen code. */
export const verifierMismatch = 501481

/** AADSTS number for an account that was disabled. */
export const accountDisabled = 50057

/** AADSTS number for consent that the user declined. */
export const consentDeclined = 65004

/**
 * Returns the problem code for an OAuth error of Entra, in a redirect or from the token endpoint.
 * @param number the first AADSTS number; null without one
 */
export function problemOf(error: string, number: number | null): ProblemCode {
  const known = number === null ? undefined : byNumber.get(number)
  return known ?? byError.get(error) ?? 'provider-error'
}

/** Returns the error's name if it is known. Others are not logged, since anyone can put text into a callback's URL. */
export function loggableError(error: string): string {
  return byError.has(error) ? error : 'other'
}

/** Returns the first AADSTS number in an error_description. Nothing else is read: it may hold an email address. */
export function numberIn(description: string | null | undefined): number | null {
  const [, digits] = /AADSTS(\d{4,8})\b/.exec(description ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}
