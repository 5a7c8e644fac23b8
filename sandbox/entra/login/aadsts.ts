import { errors } from 'oidc-provider'
import type { Clock } from '../../http/clock.ts'
import type { SeededIds } from '../../http/seeded-ids.ts'

/** An error of Entra. The ledger has the sources of codes and statuses; the wording is ours. */
export interface Problem {
  /** The number after `AADSTS`. */
  readonly code: number
  /** The OAuth error it comes with. */
  readonly error: string
  /** HTTP status at the token endpoint. */
  readonly status: number
  readonly message: string
  readonly subcode?: string
}

const problem = (
  code: number,
  error: string,
  message: string,
  rest: { readonly status?: number; readonly subcode?: string } = {},
): Problem => ({ code, error, status: 400, message, ...rest })

const unauthorized = { status: 401 }

/** Every error that the emulator returns without a fault. */
export const problems = {
  // In the redirect, because of the user
  consentRequired: problem(65001, 'consent_required', 'The user has not consented to use this application.'),
  consentDeclined: problem(65004, 'access_denied', 'The user declined to consent to this application.'),
  cancelled: problem(65004, 'access_denied', 'The user cancelled.', { subcode: 'cancel' }),
  adminConsentRequired: problem(
    90094,
    'access_denied',
    'An administrator has to consent to this application.',
  ),
  notAssigned: problem(50105, 'access_denied', 'The signed-in user is not assigned to this application.'),
  conditionalAccess: problem(
    53003,
    'interaction_required',
    'A Conditional Access policy blocks this access.',
  ),
  mfaRequired: problem(50076, 'interaction_required', 'Multi-factor authentication is required for access.'),
  silentSignIn: problem(50058, 'login_required', 'A silent sign-in was requested, but no user is signed in.'),
  // In the redirect, because of the request
  unknownScope: problem(70011, 'invalid_scope', "The value of the parameter 'scope' is not valid."),
  responseType: problem(70005, 'unsupported_response_type', 'This response type is not enabled for the app.'),
  responseMode: problem(70007, 'invalid_request', 'The response mode is not supported.'),
  invalidParameter: problem(
    90023,
    'invalid_request',
    'A parameter of the authentication request is invalid.',
  ),
  pkceRequired: problem(50147, 'invalid_request', 'The code challenge is missing or its size is not valid.'),
  // On a page without a redirect; some are used at the token endpoint too
  redirectMismatch: problem(50011, 'invalid_client', 'The redirect URI in the request is not registered.'),
  userDisabled: problem(50057, 'invalid_grant', 'The user account is disabled.'),
  userUnknown: problem(50034, 'invalid_grant', 'The user account does not exist in this directory.'),
  flowExpired: problem(
    50089,
    'invalid_grant',
    'The sign-in took too long or was not started in this browser.',
  ),
  unknownTenant: problem(90002, 'invalid_request', 'No tenant has this identifier.'),
  notMultiTenant: problem(
    50194,
    'invalid_request',
    'The application has one tenant: use the endpoint of that tenant.',
  ),
  notConsumer: problem(
    9002332,
    'invalid_request',
    'The application is for organisations: do not use the endpoint for consumers.',
  ),
  unknownClient: problem(700016, 'unauthorized_client', 'The application was not found in this directory.'),
  malformedClient: problem(700038, 'unauthorized_client', 'The application identifier is not valid.'),
  missingParameter: problem(900144, 'invalid_request', 'A required parameter is missing.'),
  malformedRequest: problem(9002313, 'invalid_request', 'The request is malformed or invalid.'),
  // At the token endpoint
  wrongSecret: problem(7000215, 'invalid_client', 'An invalid client secret was provided.', unauthorized),
  expiredSecret: problem(7000222, 'invalid_client', 'The client secret has expired.', unauthorized),
  missingSecret: problem(
    7000218,
    'invalid_client',
    "The body must have 'client_assertion' or 'client_secret'.",
    unauthorized,
  ),
  codeRedeemed: problem(54005, 'invalid_grant', 'The authorization code was already redeemed.'),
  codeExpired: problem(70008, 'invalid_grant', 'The authorization code has expired.'),
  codeInvalid: problem(70000, 'invalid_grant', 'The authorization code is not valid.'),
  verifierMismatch: problem(501481, 'invalid_grant', 'The code_verifier does not match the code_challenge.'),
  crossOrigin: problem(
    9002326,
    'invalid_request',
    'Only single-page applications may redeem tokens across origins.',
  ),
  grantType: problem(70003, 'unsupported_grant_type', 'The application asked for an unsupported grant type.'),
  throttled: problem(90055, 'temporarily_unavailable', 'The tenant receives too many requests.', {
    status: 429,
  }),
  transient: problem(90033, 'temporarily_unavailable', 'A transient error occurred: try again.', {
    status: 503,
  }),
} as const satisfies Readonly<Record<string, Problem>>

/** Returns the problem with an AADSTS code, if it is one of the above. */
export const problemOf = (code: number): Problem | undefined =>
  Object.values(problems).find(known => known.code === code)

/** Carries a problem through the OAuth library, which knows only `error` and description. */
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

/** The ids of one failure, by which the operator finds it. */
export interface Marks {
  readonly traceId: string
  readonly correlationId: string
  /** UTC, to the second, as in `2026-11-05 12:00:00Z`. */
  readonly timestamp: string
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isGuid = (text: string): boolean => guid.test(text)

/** Where ids and time come from. */
interface MarksSource {
  readonly ids: SeededIds
  readonly clock: Clock
}

/** Returns the ids of a failure. A `client-request-id` that is a GUID becomes the correlation id. */
export function marksOf({ ids, clock }: MarksSource, headers: Readonly<Record<string, string>>): Marks {
  const asked = headers['client-request-id']
  const instant = new Date(clock.now()).toISOString()
  return {
    traceId: ids.uuid(),
    correlationId: asked !== undefined && isGuid(asked) ? asked : ids.uuid(),
    timestamp: `${instant.slice(0, 19).replace('T', ' ')}Z`,
  }
}

/** Returns an `error_description`: code, message and ids on one line. */
export const describe = ({ code, message }: Problem, marks: Marks): string =>
  `AADSTS${code}: ${message} Trace ID: ${marks.traceId} Correlation ID: ${marks.correlationId} Timestamp: ${marks.timestamp}`

const errorUri = (instance: string, { code }: Problem): string => `${instance}error?code=${code}`

/** Returns the JSON body of a failed token request. */
export const envelope = (cause: Problem, marks: Marks, instance: string) => ({
  error: cause.error,
  error_description: describe(cause, marks),
  error_codes: [cause.code],
  timestamp: marks.timestamp,
  trace_id: marks.traceId,
  correlation_id: marks.correlationId,
  error_uri: errorUri(instance, cause),
})

/** Returns the parameters of a redirect to the application with an error, without `state`. */
export const redirectFields = (cause: Problem, marks: Marks, instance: string): [string, string][] =>
  // A cancelled sign-in has only these two parameters (observed in captures of MSAL's tests).
  cause.subcode === undefined
    ? [
        ['error', cause.error],
        ['error_description', describe(cause, marks)],
        ['error_uri', errorUri(instance, cause)],
      ]
    : [
        ['error', cause.error],
        ['error_subcode', cause.subcode],
      ]
