import { type Area, assumed, documented, type Entry, observed, tried } from '../../http/ledger.ts'

const codeFlow = 'Microsoft identity platform, OAuth 2.0 authorization code flow'
const errorList = 'Microsoft Entra authentication and authorization error codes'
const redirectRules = 'Microsoft identity platform, redirect URI restrictions'
const library = 'oidc-provider 9.13.3'
const fromMemory = 'from memory; no text or capture at hand'

/** The login service. */
export const login = {
  paths: documented('authorize, token and logout stand below {instance}{tenant}/oauth2/v2.0/.', codeFlow),
  'tenant.alias': documented(
    'common and organizations do not serve an application of one tenant: 50194; nor does consumers: 9002332.',
    errorList,
  ),
  'tenant.unknown': documented('Another tenant is unknown: 90002.', errorList),
  configuration: observed(
    'The OpenID configuration names neither User.Read nor a PKCE method, although both work.',
    'the published configuration of the public cloud',
  ),
  'authorize.redirect-uri': documented(
    'redirect_uri is compared character for character; a mismatch is a page (50011), never a redirect.',
    redirectRules,
  ),
  'authorize.localhost-port': documented(
    'The real service ignores the port of a localhost redirect URI. The emulator compares it: stricter on purpose.',
    redirectRules,
  ),
  'authorize.pkce': assumed(
    'A request without PKCE is sent back with invalid_request, 50147. The real service lets confidential clients do without: stricter on purpose.',
    `RFC 9700, 2.1.1; ${errorList}: 50147 is a missing challenge`,
  ),
  'authorize.scope': assumed(
    'Scopes beyond User.Read and those of OpenID Connect are sent back with invalid_scope, 70011. The real service asks an administrator for some.',
    `${errorList}: 70011 is a scope that does not exist`,
  ),
  'authorize.response-mode': assumed(
    'Only response_mode=query, the default, is there; another is invalid_request, 70007. The real service has fragment and form_post.',
    `nothing here uses the others; ${errorList}: 70007`,
  ),
  'authorize.success': documented('code and state come back, and session_state with them.', codeFlow),
  'authorize.no-iss': assumed('No iss comes back with the code.', fromMemory),
  'authorize.status': assumed('The redirect back has the status 302.', fromMemory),
  'authorize.failure': documented(
    'error and error_description come back with state; the description begins with AADSTS and the number.',
    codeFlow,
  ),
  'authorize.error-uri': assumed('error_uri comes with a failure.', fromMemory),
  'authorize.cancel': observed(
    'A user who cancels comes back with error=access_denied, error_subcode=cancel and state, without a description.',
    'redirect URIs in the tests of MSAL for Android and .NET',
  ),
  'authorize.page-status': assumed('An error page has the status 400.', 'no capture at hand'),
  'authorize.prompt': documented(
    'prompt is login, none, consent or select_account; none without a session is login_required, 50058.',
    codeFlow,
  ),
  'authorize.login-hint': documented(
    'login_hint goes before an existing session of another account. It only puts that account first on the page.',
    codeFlow,
  ),
  'authorize.response-type': documented(
    'A response type that is off is unsupported_response_type, 70005.',
    errorList,
  ),
  'authorize.parameters': assumed(
    'Any other invalid parameter is invalid_request: 900144 when missing, else 90023.',
    errorList,
  ),
  'sign-in.page': assumed(
    'Picking an account stands for every step of a sign-in, consent included.',
    'ours to decide',
  ),
  'sign-in.one-account': assumed(
    'A browser has one account signed in; the real service keeps several.',
    'ours to decide',
  ),
  'sign-in.unknown-user': documented(
    'An account that is not in the directory gets a page, 50034.',
    errorList,
  ),
  'sign-in.disabled': documented('A disabled account gets a page, 50057.', errorList),
  'sign-in.flow-expired': documented(
    'A sign-in that took too long or lost its cookies gets a page, 50089.',
    errorList,
  ),
  'sign-in.again': assumed(
    'Who is refused stays signed in, and is refused at once the next time.',
    fromMemory,
  ),
  'outcome.65001': documented('No consent: the pairing with consent_required is assumed.', errorList),
  'outcome.65004': documented('Consent declined: the pairing with access_denied is assumed.', errorList),
  'outcome.90094': assumed(
    'An administrator has to consent: the pairing with access_denied is assumed.',
    fromMemory,
  ),
  'outcome.50105': documented(
    'Not assigned to the application: the pairing with access_denied is assumed.',
    errorList,
  ),
  'outcome.53003': documented(
    'Conditional Access: the pairing with interaction_required is assumed.',
    errorList,
  ),
  'outcome.50076': documented(
    'Multi-factor authentication required: the pairing with interaction_required is assumed.',
    errorList,
  ),
  'token.envelope': documented(
    'A failure has error, error_description, error_codes, timestamp, trace_id and correlation_id.',
    codeFlow,
  ),
  'token.error-uri': observed('error_uri comes with them.', 'MicrosoftDocs/azure-docs issue 86043'),
  'token.correlation': assumed('A client-request-id becomes the correlation id.', fromMemory),
  'token.secret': observed('A wrong secret is 401 invalid_client, 7000215.', 'captures in public issues'),
  'token.secret-expired': documented(
    'An expired secret is invalid_client, 7000222; 401 is assumed.',
    errorList,
  ),
  'token.secret-missing': documented('No secret is invalid_client, 7000218; 401 is assumed.', errorList),
  'token.two-secrets': documented(
    'Several client secrets are valid side by side.',
    'Graph, application: addPassword',
  ),
  'token.client': observed(
    'An unknown application is 400 unauthorized_client: 700038 when it is no identifier at all, else 700016.',
    'captures in public issues; the difference is assumed',
  ),
  'token.origin': observed(
    'A request with an Origin header is 9002326, invalid_request, unless the application is a single-page one. The status 400 is assumed.',
    'reports of 2023 to 2025; that credentials and Origin exclude each other is documented',
  ),
  'token.grant-type': observed(
    'An unknown grant type is 400 unsupported_grant_type, 70003.',
    'captures in public issues',
  ),
  'token.single-use': documented('A code is redeemed once; again is invalid_grant, 54005.', errorList),
  'token.concurrent': tried('Of two redemptions at once one gets 200 and one 400.', library),
  'token.reuse-keeps-token': assumed(
    'A code redeemed again leaves the access token of the first time valid: it is self-contained. With `revokeOnReuse` in the state it is revoked, as RFC 6749 recommends.',
    'RFC 6749, 4.1.2; access tokens cannot be revoked (documented)',
  ),
  'token.order': tried(
    'Client, code, expiry, verifier, redirect URI, reuse are looked at in this order.',
    library,
  ),
  'token.failed-attempt': tried(
    'A wrong secret, verifier or redirect URI does not use the code up.',
    library,
  ),
  'token.code-lifetime': documented(
    'A code lives about ten minutes; later it is invalid_grant, 70008.',
    `${codeFlow}; ${errorList}`,
  ),
  'token.code-unknown': assumed('A code that never was is invalid_grant, 70000.', `${errorList}: 70000`),
  'token.verifier': documented(
    'A code_verifier that does not match is invalid_grant, 501481; that a missing one is too is assumed.',
    errorList,
  ),
  'token.redirect-uri': observed(
    'Another redirect_uri than at authorize is invalid_client, 50011; the status 400 is assumed.',
    'MicrosoftDocs/azure-docs issue 86043',
  ),
  'token.scope': documented(
    'scope may be sent; what the application may not have is invalid_scope, 70011.',
    codeFlow,
  ),
  'token.times': tried(
    'Codes, sessions, access tokens and client secrets end by the clock of the sandbox. The times in an ID token are those of the machine.',
    `${library}, which makes ID tokens by itself`,
  ),
  'token.malformed': documented('What cannot be read is invalid_request, 9002313.', errorList),
  'token.success': documented('token_type, scope, expires_in, ext_expires_in and access_token.', codeFlow),
  'token.opaque': documented(
    'An access token for the directory API is opaque to the application; ours is short.',
    codeFlow,
  ),
  'token.no-refresh': assumed(
    'Refresh tokens are never given, offline_access or not.',
    'nothing here uses them',
  ),
  'token.disabled-since': documented(
    'A code of an account that was disabled since is invalid_grant, 50057.',
    errorList,
  ),
  'token.throttled': assumed('Throttling is 429 with Retry-After and 90055.', fromMemory),
  'token.unavailable': documented('A transient error is 90033, unless a fault says which.', errorList),
} as const satisfies Readonly<Record<string, Entry>>

export const loginAreas: readonly Area[] = [{ title: 'Sign-in with Entra', entries: login }]
