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

interface Rest {
  readonly status?: number
  readonly subcode?: string
}

const problem = (
  code: number,
  error: string,
  message: string,
  { status = 400, subcode }: Rest = {},
): Problem => ({
  code,
  error,
  status,
  message,
  ...(subcode !== undefined && { subcode }),
})

/** Returns an error of the redirect that the user causes. */
const outcome = (
  code: 50076 | 50105 | 53003 | 65001 | 65004 | 90094,
  error: string,
  message: string,
): Problem => problem(code, error, message)

/** All errors that the emulator returns without a fault. */
export const problems = {
  // In the redirect, caused by the user
  consentRequired: outcome(65001, 'consent_required', 'The user has not consented to use this application.'),
  consentDeclined: outcome(65004, 'access_denied', 'The user declined to consent to this application.'),
  cancelled: problem(65004, 'access_denied', 'The user cancelled.', {
    subcode: 'cancel',
  }),
  adminConsentRequired: outcome(90094, 'access_denied', 'An administrator must consent to this application.'),
  notAssigned: outcome(50105, 'access_denied', 'The signed-in user is not assigned to this application.'),
  conditionalAccess: outcome(
    53003,
    'interaction_required',
    'A Conditional Access policy blocks this access.',
  ),
  mfaRequired: outcome(50076, 'interaction_required', 'Multi-factor authentication is required for access.'),
  silentSignIn: problem(50058, 'login_required', 'A silent sign-in was requested, but no user is signed in.'),
  // In the redirect, caused by the request
  unknownScope: problem(70011, 'invalid_scope', "The value of the parameter 'scope' is not valid."),
  defaultScope: problem(
    1002012,
    'invalid_scope',
    "The scope of the client credentials flow must be one resource with the suffix '/.default'.",
  ),
  idToken: problem(
    700054,
    'unsupported_response_type',
    "The response type 'id_token' is not enabled for the application.",
  ),
  responseType: problem(70005, 'unsupported_response_type', 'This response type is not enabled for the app.'),
  responseMode: problem(70007, 'invalid_request', 'The response mode is not supported.'),
  invalidParameter: problem(
    90023,
    'invalid_request',
    'A parameter of the authentication request is invalid.',
  ),
  pkceRequired: problem(50147, 'invalid_request', 'The code challenge is missing or its size is not valid.'),
  // On a page without a redirect; some also at the token endpoint
  redirectMismatch: problem(50011, 'invalid_client', 'The redirect URI in the request is not registered.'),
  userDisabled: problem(50057, 'invalid_grant', 'The user account is disabled.'),
  userUnknown: problem(50034, 'invalid_grant', 'The user account does not exist in this directory.'),
  flowExpired: problem(
    50089,
    'invalid_grant',
    'The sign-in took too long or was not started in this browser.',
  ),
  unknownTenant: problem(90002, 'invalid_request', 'No tenant has this identifier.'),
  malformedTenant: problem(
    900023,
    'invalid_request',
    'The tenant identifier is neither a domain name nor a GUID.',
  ),
  notMultiTenant: problem(
    50194,
    'invalid_request',
    'The application has a single tenant. Use the endpoint of that tenant.',
  ),
  notConsumer: problem(
    9002332,
    'invalid_request',
    'The application is for organizations. Do not use the endpoint for consumers.',
  ),
  unknownClient: problem(700016, 'unauthorized_client', 'The application was not found in this directory.'),
  malformedClient: problem(700038, 'unauthorized_client', 'The application identifier is not valid.'),
  missingParameter: problem(900144, 'invalid_request', 'A required parameter is missing.'),
  malformedRequest: problem(9002313, 'invalid_request', 'The request is malformed or invalid.'),
  // At the token endpoint
  severalCredentials: problem(
    9002313,
    'invalid_request',
    'The request authenticates the application in more than one way.',
  ),
  wrongSecret: problem(7000215, 'invalid_client', 'An invalid client secret was provided.', {
    status: 401,
  }),
  expiredSecret: problem(7000222, 'invalid_client', 'The client secret has expired.', {
    status: 401,
  }),
  missingSecret: problem(
    7000218,
    'invalid_client',
    "The body must have 'client_assertion' or 'client_secret'.",
    { status: 401 },
  ),
  assertionMalformed: problem(50027, 'invalid_client', 'The client assertion is malformed.', {
    status: 401,
  }),
  assertionKey: problem(700027, 'invalid_client', 'The client assertion has an invalid signature.', {
    status: 401,
  }),
  assertionClient: problem(
    700021,
    'invalid_client',
    "The issuer or subject of the client assertion is not the 'client_id'.",
    { status: 401 },
  ),
  assertionAudience: problem(
    700023,
    'invalid_client',
    'The audience of the client assertion is not this tenant.',
    { status: 401 },
  ),
  assertionTime: problem(
    700024,
    'invalid_client',
    'The client assertion is not within its valid time range.',
    { status: 401 },
  ),
  federatedIssuer: problem(
    700211,
    'invalid_client',
    'No federated identity record matches the issuer of the assertion.',
    { status: 401 },
  ),
  federatedSubject: problem(
    700213,
    'invalid_client',
    'No federated identity record matches the subject of the assertion.',
    { status: 401 },
  ),
  federatedAudience: problem(
    700212,
    'invalid_client',
    'No federated identity record matches the audience of the assertion.',
    { status: 401 },
  ),
  federatedKey: problem(
    7000272,
    'invalid_client',
    'The key of the federated credential is not in the metadata of its issuer.',
    { status: 401 },
  ),
  issuerUnreachable: problem(90061, 'invalid_request', 'The request to the external issuer failed.'),
  codeRedeemed: problem(54005, 'invalid_grant', 'The authorization code was already redeemed.'),
  codeExpired: problem(70008, 'invalid_grant', 'The authorization code has expired.'),
  grantInvalid: problem(70000, 'invalid_grant', 'The code or refresh token is not valid.'),
  verifierMismatch: problem(501481, 'invalid_grant', 'The code_verifier does not match the code_challenge.'),
  refreshExpired: problem(700082, 'invalid_grant', 'The refresh token has expired due to inactivity.'),
  refreshRevoked: problem(50173, 'invalid_grant', 'The grant was revoked. The user must sign in again.'),
  crossOrigin: problem(
    9002326,
    'invalid_request',
    'Only single-page applications can redeem tokens across origins.',
  ),
  grantType: problem(70003, 'unsupported_grant_type', 'The application requested an unsupported grant type.'),
  throttled: problem(90055, 'temporarily_unavailable', 'The tenant receives too many requests.', {
    status: 429,
  }),
  transient: problem(90033, 'temporarily_unavailable', 'A transient error occurred. Try again.', {
    status: 503,
  }),
} as const satisfies Readonly<Record<string, Problem>>

/** Returns the problem with an AADSTS code, if there is one. */
export const problemOf = (code: number): Problem | null =>
  Object.values(problems).find(known => known.code === code) ?? null

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
