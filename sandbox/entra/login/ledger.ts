import { type Area, assumed, documented, type Entry, observed, tried } from '../../http/ledger.ts'
import type { applications } from '../graph/ledger.ts'

const codeFlow = 'Microsoft identity platform, OAuth 2.0 authorization code flow'
const errorList = 'Microsoft Entra authentication and authorization error codes'
const redirectRules = 'Microsoft identity platform, redirect URI restrictions'
const certificates = 'Microsoft identity platform, certificate credentials'
const federation = 'Microsoft Entra workload identity federation'
const library = 'oidc-provider 9.13.3'
const fromMemory = 'from memory; no text or capture available'

/** The way to a code. */
export const authorize = {
  paths: documented`authorize, token and logout are below {instance}{tenant}/oauth2/v2.0/. [${codeFlow}]`,
  'tenant.alias': documented`common and organizations are refused for a single-tenant application with 50194, consumers with 9002332. [${errorList}]`,
  'tenant.unknown': documented`An unknown tenant is refused with 90002: with a page at authorize and logout, otherwise with JSON. The error is invalid_request at the token endpoint, and invalid_tenant (assumed) at the others. [${errorList}]`,
  'tenant.malformed': documented`A tenant that is neither a GUID nor a domain name is refused with 900023, in the same forms. [${errorList}]`,
  'tenant.domain': documented`A domain of the tenant can replace its id in every path. The issuer always has the id. [Microsoft identity platform, OpenID Connect]`,
  configuration: observed`The OpenID configuration lists neither User.Read nor a PKCE method, although both work. [the published configuration of the public cloud]`,
  'authorize.redirect-uri': documented`redirect_uri is compared character for character. A mismatch is an error page (50011), never a redirect. [${redirectRules}]`,
  'authorize.localhost-port': documented`The real service ignores the port of a localhost redirect URI. The emulator compares it: stricter on purpose. [${redirectRules}]`,
  'authorize.pkce': assumed`A request without PKCE is redirected with invalid_request, 50147. The real service accepts it from confidential clients: stricter on purpose. \`requirePkce\` in the state and --entra-optional-pkce turn this off. [RFC 9700, 2.1.1; ${errorList}: 50147 is a missing challenge]`,
  'authorize.scope': assumed`Scopes other than User.Read and those of OpenID Connect are redirected with invalid_scope, 70011. For some, the real service asks an administrator. [${errorList}: 70011 is a scope that does not exist]`,
  'authorize.scope-uri': documented`A scope can have the directory's address in front, also the public one. {address}/.default is User.Read. The response has the short form (assumed). [Microsoft identity platform, scopes and permissions]`,
  'authorize.response-mode': documented`response_mode is query, the default, or form_post: a page that posts the parameters. Others are redirected with invalid_request, 70007 (assumed). The real service also has fragment. [${codeFlow}; ${errorList}: 70007]`,
  'authorize.client': documented`An unknown application gets an error page, 700016. [${errorList}]`,
  'authorize.success': documented`The redirect has code, state and session_state. [${codeFlow}]`,
  'authorize.no-iss': assumed`The redirect with a code has no iss. [${fromMemory}]`,
  'authorize.status': assumed`The redirect to the application has status 302. [${fromMemory}]`,
  'authorize.failure': documented`The redirect has error, error_description and state. The description starts with AADSTS and the code. [${codeFlow}]`,
  'authorize.error-uri': assumed`The redirect with an error has error_uri. [${fromMemory}]`,
  'authorize.cancel': observed`A cancelled sign-in redirects with error=access_denied, error_subcode=cancel and state, without a description. [redirect URIs in the tests of MSAL for Android and .NET]`,
  'authorize.page-status': assumed`An error page has status 400. [no capture available]`,
  'authorize.prompt': documented`prompt is login, none, consent or select_account. Without a session, prompt=none redirects with login_required, 50058. [${codeFlow}]`,
  'authorize.login-hint': documented`login_hint takes precedence over the session of another account. It only puts the hinted account first on the page. [${codeFlow}]`,
  'authorize.response-type': documented`A disabled response type redirects with unsupported_response_type, 70005. [${errorList}]`,
  'authorize.parameters': assumed`Other invalid parameters redirect with invalid_request: 900144 if one is missing, otherwise 90023. [${errorList}]`,
  'sign-in.page': assumed`Picking an account completes every step of a sign-in, including consent. [our decision]`,
  'sign-in.one-account': assumed`A browser has one signed-in account. The real service keeps several. [our decision]`,
  'sign-in.unknown-user': documented`An account that is not in the directory gets an error page, 50034. [${errorList}]`,
  'sign-in.disabled': documented`A disabled account gets an error page, 50057. [${errorList}]`,
  'sign-in.flow-expired': documented`A sign-in that took too long or lost its cookies gets an error page, 50089. [${errorList}]`,
  'sign-in.again': assumed`A refused user stays signed in, and is refused at once the next time. [${fromMemory}]`,
  'outcome.65001': documented`No consent: 65001. The pairing with consent_required is assumed. [${errorList}]`,
  'outcome.65004': documented`Consent declined: 65004. The pairing with access_denied is assumed. [${errorList}]`,
  'outcome.90094': assumed`Consent of an administrator required: 90094. The pairing with access_denied is assumed. [${fromMemory}]`,
  'outcome.50105': documented`Not assigned to the application: 50105. The pairing with access_denied is assumed. [${errorList}]`,
  'outcome.53003': documented`Blocked by Conditional Access: 53003. The pairing with interaction_required is assumed. [${errorList}]`,
  'outcome.50076': documented`Multi-factor authentication required: 50076. The pairing with interaction_required is assumed. [${errorList}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The way from a code to tokens. */
export const token = {
  'token.envelope': documented`An error has error, error_description, error_codes, timestamp, trace_id and correlation_id. [${codeFlow}]`,
  'token.error-uri': observed`An error has error_uri. [MicrosoftDocs/azure-docs issue 86043]`,
  'token.correlation': assumed`client-request-id becomes the correlation id. [${fromMemory}]`,
  'token.secret': observed`A wrong client secret gets 401 invalid_client, 7000215. [captures in public issues]`,
  'token.secret-expired': documented`An expired client secret gets invalid_client, 7000222. The status 401 is assumed. [${errorList}]`,
  'token.secret-missing': documented`A missing client secret gets invalid_client, 7000218. The status 401 is assumed. [${errorList}]`,
  'token.assertion': documented`A client assertion authenticates an application: a JWT with its client id as issuer and subject, signed with PS256 or RS256 by the key of one of its certificates, which x5t#S256 or x5t names. [${certificates}]`,
  'token.assertion-key': observed`An unknown or expired certificate, or a wrong signature, gets 401 invalid_client, 700027. The same for other algorithms is assumed. [AzureAD/passport-azure-ad issue 453]`,
  'token.assertion-claims': documented`A malformed assertion gets 50027, another issuer or subject 700021, another audience than the token endpoint 700023, and one outside its time 700024. Assumed: the tenant’s issuer is an audience too, the tolerance is five minutes, and the status is 401 with invalid_client. [${certificates}; Azure SDK for Java, troubleshooting of application authentication; ${errorList}]`,
  'token.assertion-repeat': observed`An assertion can be used until it expires: jti is not compared with earlier ones. [the source of MSAL for Node 7.2.1, which repeats its assertions]`,
  'token.federated': documented`A token of another issuer authenticates an application if issuer, subject and audience are those of one of its federated credentials, in the same case. It is signed with RS256. [${federation}]`,
  'token.federated-mismatch': observed`Another issuer gets 401 invalid_client, 700211; another subject 700213; another audience 700212. [Azure/azure-workload-identity issue 1200, Azure/login issue 482, microsoft/Agents issue 202]`,
  'token.federated-key': observed`A key that the issuer does not publish gets invalid_client, 7000272; the status 401, and the same for a wrong signature, are assumed. An issuer that cannot be read gets 400 invalid_request, 90061. The emulator reads issuers on loopback only. [Azure/azure-workload-identity issues 605 and 1232]`,
  'token.one-credential': assumed`A request with several credentials of the application gets 9002313. [RFC 6749, 2.3]`,
  'token.two-secrets': documented`Several client secrets are valid at the same time. [Graph, application: addPassword]`,
  'token.client': observed`An unknown application gets 400 unauthorized_client: 700038 if the client id is not a GUID, otherwise 700016. [captures in public issues; the difference is assumed]`,
  'token.origin': observed`A request with an Origin header gets invalid_request, 9002326, unless the application is a single-page one. The status 400 is assumed. [reports of 2023 to 2025; that credentials and Origin cannot be combined is documented]`,
  'token.grant-type': observed`An unknown grant type gets 400 unsupported_grant_type, 70003. [captures in public issues]`,
  'token.single-use': documented`A code can be redeemed once. The second time gets invalid_grant, 54005. [${errorList}]`,
  'token.concurrent': tried`Of two simultaneous redemptions, one gets 200 and one 400. [${library}]`,
  'token.reuse-keeps-token': assumed`A reused code does not revoke its access token, which is self-contained. With \`revokeOnReuse\` in the state it does, as RFC 6749 recommends. [RFC 6749, 4.1.2; access tokens cannot be revoked (documented)]`,
  'token.order': tried`Client, code, expiry, verifier, redirect URI and reuse are checked in this order. [${library}]`,
  'token.failed-attempt': tried`A wrong secret, verifier or redirect URI does not use up the code. [${library}]`,
  'token.code-lifetime': documented`A code is valid for about ten minutes. After that it gets invalid_grant, 70008. [${codeFlow}; ${errorList}]`,
  'token.code-unknown': assumed`An unknown code gets invalid_grant, 70000. [${errorList}: 70000]`,
  'token.verifier': documented`A wrong code_verifier gets invalid_grant, 501481. The same for a missing one is assumed. [${errorList}]`,
  'token.redirect-uri': observed`Another redirect_uri than at authorize gets invalid_client, 50011. The status 400 is assumed. [MicrosoftDocs/azure-docs issue 86043]`,
  'token.scope': documented`scope is optional. A scope that the application cannot have gets invalid_scope, 70011. [${codeFlow}]`,
  'token.times': tried`Codes, sessions, access tokens and client secrets expire by the clock of the sandbox. The times in an ID token are those of the machine. [${library}, which makes ID tokens by itself]`,
  'token.malformed': documented`A malformed request gets invalid_request, 9002313. [${errorList}]`,
  'token.success': documented`A success has token_type, scope, expires_in, ext_expires_in and access_token. [${codeFlow}]`,
  'token.opaque': documented`Access tokens for the directory are opaque to the application. Ours are short. [${codeFlow}]`,
  'token.no-refresh': documented`Without offline_access there is no refresh token. [${codeFlow}]`,
  'token.refresh': documented`With offline_access there is a refresh token, which gets a token for the same or fewer scopes. The scope of the response does not have offline_access (assumed). [${codeFlow}]`,
  'token.refresh-rotation': documented`Each use of a refresh token returns another one. The used one stays valid. [Microsoft identity platform, refresh tokens]`,
  'token.refresh-lifetime': documented`A refresh token expires after 90 days: invalid_grant, 700082. [Microsoft identity platform, refresh tokens; ${errorList}]`,
  'token.refresh-revoked': documented`A refresh token from before the user's signInSessionsValidFromDateTime gets invalid_grant, 50173. [Graph, user: revokeSignInSessions; ${errorList}]`,
  'token.basic': documented`The application can authenticate with HTTP Basic. Credentials that are not form-encoded are accepted (assumed). [the published configuration of the public cloud; RFC 6749, 2.3]`,
  'token.parameters': documented`A missing parameter gets invalid_request, 900144. [${errorList}]`,
  'token.id-token': documented`With openid there is an ID token with ver, nbf, uti, oid and tid, with profile also name and preferred_username, with email also email, unless the user has none. The header has typ. The subject is the object id; the real one differs by application. [Microsoft identity platform, ID token claims reference]`,
  'token.client-info': observed`client_info=1 returns client_info, the object id and the tenant id in base64url. [the source of MSAL for Node and Python, 2026]`,
  'token.disabled-since': documented`The code of an account that was disabled in the meantime gets invalid_grant, 50057. [${errorList}]`,
  'token.throttled': assumed`Throttling is 429 with Retry-After and 90055. [${fromMemory}]`,
  'token.unavailable': documented`A transient error is 90033, unless a fault sets another code. [${errorList}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The id of a behaviour of the login service, or of its tokens for applications. */
export type Behaviour = keyof typeof authorize | keyof typeof token | keyof typeof applications

export const loginAreas: readonly Area[] = [
  { title: 'Sign-in with Entra', entries: authorize },
  { title: 'Tokens of Entra', entries: token },
]
