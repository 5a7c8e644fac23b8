import type { ProblemCode } from './problem.ts'

/** An OAuth error as Entra sends it, at the redirect or at the token endpoint. */
export interface ProviderRefusal {
  readonly error: string
  /** The first AADSTS number; null without one. */
  readonly number: number | null
}

/** Numbers that say more than `error` does, from Microsoft's list of AADSTS codes. */
const byNumber: Readonly<Record<number, ProblemCode>> = {
  50011: 'misconfigured', // redirect address not registered
  50105: 'not-assigned',
  50057: 'sign-in-refused', // disabled at the provider
  50074: 'sign-in-refused', // second factor
  50076: 'sign-in-refused',
  50079: 'sign-in-refused',
  53000: 'sign-in-refused', // Conditional Access
  53001: 'sign-in-refused',
  53002: 'sign-in-refused',
  53003: 'sign-in-refused',
  65001: 'consent-required',
  65004: 'consent-required', // declined
  90094: 'consent-required', // only an administrator may consent
  50194: 'misconfigured', // not a multi-tenant application
  500208: 'misconfigured', // account type
  54005: 'sign-in-expired', // code redeemed
  70008: 'sign-in-expired', // code expired
  501481: 'sign-in-expired', // verifier does not fit
  7000215: 'client-credential-rejected', // wrong secret
  7000222: 'client-credential-rejected', // expired secret
}

/** Errors of RFC 6749 §4.1.2.1 and §5.2 and OpenID Connect Core §3.1.2.6, where no number says more. */
const byError: Readonly<Record<string, ProblemCode>> = {
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
}

/** The number of a code redeemed with a verifier that does not fit: somebody tried a code that is not theirs. */
export const verifierMismatch = 501481

/** Which of our failures a refusal is. The number decides where we know it, as `error` is coarse at Entra. */
export function problemOf({ error, number }: ProviderRefusal): ProblemCode {
  const known = number === null ? undefined : byNumber[number]
  return known ?? byError[error] ?? 'provider-error'
}

/** Errors that may be logged by name: what anyone can put into a callback's address never is. */
export function loggableError(error: string): string {
  return error in byError ? error : 'other'
}

/** The first AADSTS number in an error_description, of which nothing else is read: it may hold the address. */
export function numberIn(description: string | null | undefined): number | null {
  const [, digits] = /AADSTS(\d{4,8})\b/.exec(description ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}
