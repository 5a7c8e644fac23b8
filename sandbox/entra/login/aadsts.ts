import { errors } from 'oidc-provider'

/** An error of Entra, by Microsoft's list of errors. The wording is our own. */
export interface Problem {
  /** The number after `AADSTS`. */
  readonly code: number
  /** The OAuth error it comes with. */
  readonly error: string
  /** The HTTP status at the token endpoint. */
  readonly status: number
  readonly message: string
  readonly subcode?: string
}

type Row = readonly [code: number, error: string, status: number, message: string]

const rows = {
  // In the redirect, caused by the user
  consentRequired: [65001, 'consent_required', 400, 'The user has not consented to this application.'],
  cancelled: [65004, 'access_denied', 400, 'The user cancelled.'],
  adminConsentRequired: [90094, 'access_denied', 400, 'An administrator must consent to this application.'],
  notAssigned: [50105, 'access_denied', 400, 'The user is not assigned to this application.'],
  conditionalAccess: [53003, 'interaction_required', 400, 'A Conditional Access policy blocks this access.'],
  mfaRequired: [50076, 'interaction_required', 400, 'Multi-factor authentication is required for access.'],
  silentSignIn: [50058, 'login_required', 400, 'A silent sign-in found no user who is signed in.'],
  // In the redirect, caused by the request
  unknownScope: [70011, 'invalid_scope', 400, "The value of the parameter 'scope' is not valid."],
  defaultScope: [1002012, 'invalid_scope', 400, "The scope is not one resource with '/.default'."],
  idToken: [700054, 'unsupported_response_type', 400, "The response type 'id_token' is not enabled."],
  responseType: [70005, 'unsupported_response_type', 400, 'This response type is not enabled for the app.'],
  responseMode: [70007, 'invalid_request', 400, 'The response mode is not supported.'],
  invalidParameter: [90023, 'invalid_request', 400, 'A parameter of the authentication request is invalid.'],
  pkceRequired: [50147, 'invalid_request', 400, 'The code challenge is missing or has a wrong size.'],
  // On a page without a redirect; some also at the token endpoint
  redirectMismatch: [50011, 'invalid_client', 400, 'The redirect URI in the request is not registered.'],
  userDisabled: [50057, 'invalid_grant', 400, 'The user account is disabled.'],
  userUnknown: [50034, 'invalid_grant', 400, 'The user account does not exist in this directory.'],
  flowExpired: [50089, 'invalid_grant', 400, 'The sign-in took too long or began in another browser.'],
  unknownTenant: [90002, 'invalid_request', 400, 'No tenant has this identifier.'],
  malformedTenant: [900023, 'invalid_request', 400, 'The tenant identifier is neither a GUID nor a domain.'],
  notMultiTenant: [50194, 'invalid_request', 400, 'The application has a single tenant. Use its endpoint.'],
  unknownClient: [700016, 'unauthorized_client', 400, 'The application was not found in this directory.'],
  malformedClient: [700038, 'unauthorized_client', 400, 'The application identifier is not valid.'],
  missingParameter: [900144, 'invalid_request', 400, 'A required parameter is missing.'],
  malformedRequest: [9002313, 'invalid_request', 400, 'The request is malformed or invalid.'],
  // At the token endpoint
  severalCredentials: [9002313, 'invalid_request', 400, 'The request has more than one credential.'],
  wrongSecret: [7000215, 'invalid_client', 401, 'An invalid client secret was provided.'],
  expiredSecret: [7000222, 'invalid_client', 401, 'The client secret has expired.'],
  missingSecret: [7000218, 'invalid_client', 401, "The body lacks 'client_assertion' or 'client_secret'."],
  assertionMalformed: [50027, 'invalid_client', 401, 'The client assertion is malformed.'],
  assertionKey: [700027, 'invalid_client', 401, 'The client assertion has an invalid signature.'],
  assertionClient: [700021, 'invalid_client', 401, "The assertion is not issued by the 'client_id'."],
  assertionAudience: [700023, 'invalid_client', 401, "The assertion's audience is not this tenant."],
  assertionTime: [700024, 'invalid_client', 401, 'The client assertion is not within its valid time range.'],
  federatedIssuer: [700211, 'invalid_client', 401, 'No federated identity record matches the issuer.'],
  federatedSubject: [700213, 'invalid_client', 401, 'No federated identity record matches the subject.'],
  federatedAudience: [700212, 'invalid_client', 401, 'No federated identity record matches the audience.'],
  federatedKey: [7000272, 'invalid_client', 401, 'The key is not in the metadata of its issuer.'],
  issuerUnreachable: [90061, 'invalid_request', 400, 'The request to the external issuer failed.'],
  codeRedeemed: [54005, 'invalid_grant', 400, 'The authorization code was already redeemed.'],
  codeExpired: [70008, 'invalid_grant', 400, 'The authorization code has expired.'],
  grantInvalid: [70000, 'invalid_grant', 400, 'The code is not valid.'],
  verifierMismatch: [501481, 'invalid_grant', 400, 'The code_verifier does not match the code_challenge.'],
  crossOrigin: [9002326, 'invalid_request', 400, 'Only single-page applications can redeem across origins.'],
  grantType: [70003, 'unsupported_grant_type', 400, 'This grant type is not supported.'],
  transient: [90033, 'temporarily_unavailable', 503, 'A transient error occurred. Try again.'],
} as const satisfies Readonly<Record<string, Row>>

const all = Object.fromEntries(
  Object.entries<Row>(rows).map(([name, [code, error, status, message]]) => [
    name,
    { code, error, status, message },
  ]),
) as Readonly<Record<keyof typeof rows, Problem>>

/** All errors that the emulator returns without a fault. */
export const problems = { ...all, cancelled: { ...all.cancelled, subcode: 'cancel' } }

/** Returns the problem with an AADSTS code, if there is one. */
export const problemOf = (code: number): Problem | null =>
  Object.values<Problem>(problems).find(known => known.code === code) ?? null

/** Carries a problem through the OAuth library, which only has fields for an error and its description. */
export class EntraError extends errors.OIDCProviderError {
  readonly problem: Problem

  /** @param page whether the user sees a page instead of being redirected to the application */
  constructor(cause: Problem, page = false) {
    super(cause.status, cause.error)
    this.problem = cause
    this.error_description = cause.message
    this.expose = true
    this.allow_redirect = !page
  }
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a GUID, in any case, such as a tenant ID. */
export const isGuid = (text: string): boolean => guid.test(text)
