import type { ProblemCode } from '../http/problem.ts'

/** An OAuth error as Entra sends it, at the redirect or at the token endpoint. */
export interface ProviderRefusal {
  readonly error: string
  /** The first AADSTS number; null without one. */
  readonly number: number | null
}

/** Numbers that say more than `error` does, from Microsoft's list of AADSTS codes. */
const numbers: Readonly<Partial<Record<ProblemCode, readonly number[]>>> = {
  // Redirect address not registered; account type; not a multi-tenant application.
  misconfigured: [50011, 500208, 50194],
  'not-assigned': [50105],
  // Disabled at the provider; second factor; Conditional Access.
  'sign-in-refused': [50057, 50074, 50076, 50079, 53000, 53001, 53002, 53003],
  // Not given; declined; only an administrator may give it.
  'consent-required': [65001, 65004, 90094],
  // Code redeemed; code expired; verifier does not fit.
  'sign-in-expired': [54005, 70008, 501481],
  // Secret wrong; secret expired.
  'client-credential-rejected': [7000215, 7000222],
}

const byNumber = new Map(
  Object.entries(numbers).flatMap(([code, list]) => list.map(number => [number, code as ProblemCode])),
)

/** Errors of RFC 6749 §4.1.2.1 and §5.2 and OpenID Connect Core §3.1.2.6, where no number says more. */
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

/** The number of a code redeemed with a verifier that does not fit: somebody tried a code that is not theirs. */
export const verifierMismatch = 501481

/** Which of our failures a refusal is. The number decides where we know it, as `error` is coarse at Entra. */
export function problemOf({ error, number }: ProviderRefusal): ProblemCode {
  const known = number === null ? undefined : byNumber.get(number)
  return known ?? byError.get(error) ?? 'provider-error'
}

/** Errors that may be logged by name: what anyone can put into a callback's address never is. */
export function loggableError(error: string): string {
  return byError.has(error) ? error : 'other'
}

/** The first AADSTS number in an error_description, of which nothing else is read: it may hold the address. */
export function numberIn(description: string | null | undefined): number | null {
  const [, digits] = /AADSTS(\d{4,8})\b/.exec(description ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}
