import { type Area, assumed, documented, type Entry, observed, tried } from '../../http/ledger.ts'
import type { applications } from '../graph/ledger.ts'

const codeFlow = 'Microsoft identity platform, OAuth 2.0 authorization code flow'
const errorList = 'Microsoft Entra authentication and authorization error codes'
const redirectRules = 'Microsoft identity platform, redirect URI restrictions'
const certificates = 'Microsoft identity platform, certificate credentials'
const federation = 'Microsoft Entra workload identity federation'
const library = 'oidc-provider 9.13.3'
const fromMemory = 'from memory; no text or capture available'

/** The sign-in of a user, up to the authorization code. */
const authorize = {
  paths: documented`authorize, token and logout are below {instance}{tenant}/oauth2/v2.0/. [${codeFlow}]`,
  'tenant.alias': documented`For a single-tenant application, the tenants common and organizations are refused with 50194, and consumers with 9002332. [${errorList}]`,
  'tenant.unknown': documented`An unknown tenant is refused with 90002, on a page at authorize and logout and in JSON elsewhere. The error is invalid_request at the token endpoint. Assumed: it is invalid_tenant at the others. [${errorList}]`,
  'tenant.malformed': documented`A tenant that is neither a GUID nor a domain name is refused with 900023, in the same way. [${errorList}]`,
  'tenant.domain': documented`A domain of the tenant can replace its id in every path. The issuer always contains the id. [Microsoft identity platform, OpenID Connect]`,
  discovery: observed`GET /common/discovery/instance returns where the configuration of the tenant is, and the names of the login service. The real service derives the tenant from the query; here there is only one. [the sources of MSAL for Node and Python, 2026, which read it unless told not to]`,
  'public-names': assumed`With --entra-public, the public names are the base URLs in every redirect, token and document, so that a sign-in that begins at login.microsoftonline.com ends there. [a decision of this project, for clients whose hosts file leads here]`,
  configuration: observed`The OpenID configuration lists neither User.Read nor a PKCE method, although both work. [the published configuration of the public cloud]`,
  'authorize.redirect-uri': documented`redirect_uri is compared character for character. A mismatch is an error page (50011), never a redirect. [${redirectRules}]`,
  'authorize.localhost-port': documented`The real service ignores the port of a localhost redirect URI. The emulator compares it, to be strict. [${redirectRules}]`,
  'authorize.pkce': assumed`A request without PKCE is redirected with invalid_request and code 50147. The real service accepts it from confidential clients. \`requirePkce\` in the state and --entra-optional-pkce turn this check off. [RFC 9700 section 2.1.1; ${errorList}: 50147 is a missing challenge]`,
  'authorize.scope': assumed`A request for scopes other than User.Read and those of OpenID Connect is redirected with invalid_scope and code 70011. For some of them, the real service asks an administrator to consent. [${errorList}: 70011 is a scope that does not exist]`,
  'authorize.scope-uri': documented`A scope can start with the address of Graph, or with the public one. {address}/.default means User.Read. Assumed: the response names scopes without the address. [Microsoft identity platform, scopes and permissions]`,
  'authorize.response-mode': documented`response_mode is query (the default) or form_post, which returns a page that posts the parameters. Assumed: any other is redirected with invalid_request and code 70007. The real service also supports fragment. [${codeFlow}; ${errorList}: 70007]`,
  'authorize.client': documented`If the application is unknown, the browser receives an error page with code 700016. [${errorList}]`,
  'authorize.success': documented`The redirect to the application contains code, state and session_state. [${codeFlow}]`,
  'authorize.no-iss': assumed`The redirect with a code does not contain iss. [${fromMemory}]`,
  'authorize.status': assumed`The redirect to the application has status 302. [${fromMemory}]`,
  'authorize.failure': documented`The redirect with an error contains error, error_description and state. The description starts with AADSTS and the code. [${codeFlow}]`,
  'authorize.error-uri': assumed`The redirect with an error contains error_uri. [${fromMemory}]`,
  'authorize.cancel': observed`A cancelled sign-in redirects with error=access_denied, error_subcode=cancel and state, without a description. [redirect URIs in the tests of MSAL for Android and .NET]`,
  'authorize.page-status': assumed`An error page has status 400. [no capture available]`,
  'authorize.prompt': documented`prompt is login, none, consent or select_account. Without a session, prompt=none is redirected with login_required and code 50058. [${codeFlow}]`,
  'authorize.login-hint': documented`login_hint takes precedence over the session of another account. Here it puts the hinted account first on the page. [${codeFlow}]`,
  'authorize.response-type': documented`A disabled response type is redirected with unsupported_response_type: 700054 if it contains id_token, otherwise 70005. [${errorList}]`,
  'authorize.parameters': assumed`Other invalid requests are redirected with invalid_request: 900144 if a parameter is missing, otherwise 90023. [${errorList}]`,
  'sign-in.page': assumed`Picking an account completes every step of a sign-in, including consent. [a decision of this project]`,
  'sign-in.one-account': assumed`A browser has one signed-in account. The real service keeps several. [a decision of this project]`,
  'sign-in.unknown-user': documented`A sign-in with an account that is not in the tenant ends at an error page with code 50034. [${errorList}]`,
  'sign-in.disabled': documented`A sign-in with a disabled account ends at an error page with code 50057. [${errorList}]`,
  'sign-in.flow-expired': documented`A sign-in that took too long or lost its cookies ends at an error page with code 50089. [${errorList}]`,
  'sign-in.again': assumed`A refused user stays signed in. Their next attempt is refused without a page. [${fromMemory}]`,
  'outcome.65001': documented`A sign-in of a user who has not consented ends with code 65001. Assumed: and consent_required. [${errorList}]`,
  'outcome.65004': documented`If the user declines to consent, the sign-in ends with code 65004. Assumed: and access_denied. [${errorList}]`,
  'outcome.90094': assumed`If an administrator has to consent, the sign-in ends with code 90094 and access_denied. [${fromMemory}]`,
  'outcome.50105': documented`A sign-in of a user who is not assigned to the application ends with code 50105. Assumed: and access_denied. [${errorList}]`,
  'outcome.53003': documented`A sign-in that Conditional Access blocks ends with code 53003. Assumed: and interaction_required. [${errorList}]`,
  'outcome.50076': documented`A sign-in that needs multi-factor authentication ends with code 50076. Assumed: and interaction_required. [${errorList}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The token endpoint. */
const token = {
  'token.envelope': documented`An error contains error, error_description, error_codes, timestamp, trace_id and correlation_id. [${codeFlow}]`,
  'token.error-uri': observed`An error contains error_uri. [MicrosoftDocs/azure-docs issue 86043]`,
  'token.correlation': assumed`client-request-id becomes the correlation id. [${fromMemory}]`,
  'token.secret': observed`A request with a wrong client secret gets 401 invalid_client and code 7000215. [captures in public issues]`,
  'token.secret-expired': documented`An expired client secret is refused with invalid_client and code 7000222. Assumed: with status 401. [${errorList}]`,
  'token.secret-missing': documented`A request without a client secret is refused with invalid_client and code 7000218. Assumed: with status 401. [${errorList}]`,
  'token.assertion': documented`A client assertion authenticates an application. It is a JWT whose issuer and subject are the client id, signed with PS256 or RS256 by the key of one of the application's certificates. x5t#S256 or x5t identifies the certificate. [${certificates}]`,
  'token.assertion-key': observed`A request with an unknown or expired certificate, or with a wrong signature, gets 401 invalid_client and code 700027. Assumed: so does one with another algorithm. [AzureAD/passport-azure-ad issue 453]`,
  'token.assertion-claims': documented`A request with a malformed assertion gets 50027; with a wrong issuer or subject, 700021; with an audience other than the token endpoint, 700023; outside the assertion's validity, 700024. Assumed: the tenant's issuer is accepted as an audience too, the tolerance is five minutes, and the error is 401 invalid_client. [${certificates}; Azure SDK for Java, troubleshooting of application authentication; ${errorList}]`,
  'token.assertion-repeat': observed`An assertion can be reused until it expires, because its jti is not checked. [the source of MSAL for Node 7.2.1, which repeats its assertions]`,
  'token.federated': documented`A token of another issuer authenticates an application if its issuer, subject and audience match one of the federated credentials, including case. It must be signed with RS256. [${federation}]`,
  'token.federated-mismatch': observed`A token of an unknown issuer is refused with 401 invalid_client and code 700211; a wrong subject with 700213; a wrong audience with 700212. [Azure/azure-workload-identity issue 1200, Azure/login issue 482, microsoft/Agents issue 202]`,
  'token.federated-key': observed`A token signed with a key that the issuer does not publish is refused with invalid_client and code 7000272. Assumed: with status 401, like a wrong signature. If the keys of the issuer cannot be read, the request gets 400 invalid_request and code 90061. The emulator reads only issuers on loopback. [Azure/azure-workload-identity issues 605 and 1232]`,
  'token.one-credential': assumed`A request with several credentials of the application gets 9002313. [RFC 6749 section 2.3]`,
  'token.two-secrets': documented`Several client secrets are valid at the same time. [Graph, application: addPassword]`,
  'token.client': observed`A request of an unknown application gets 400 unauthorized_client: 700038 if the client id is not a GUID, otherwise 700016. [captures in public issues; the distinction is assumed]`,
  'token.origin': observed`A request with an Origin header is refused with invalid_request and code 9002326, unless the application is a single-page application. Assumed: with status 400. [reports of 2023 to 2025; it is documented that credentials and Origin cannot be combined]`,
  'token.grant-type': observed`A request with an unknown grant type gets 400 unsupported_grant_type and code 70003. [captures in public issues]`,
  'token.single-use': documented`A code can be redeemed once. A second attempt is refused with invalid_grant and code 54005. [${errorList}]`,
  'token.concurrent': tried`If a code is redeemed twice at once, one request gets 200 and the other 400. [${library}]`,
  'token.reuse-keeps-token': assumed`Reusing a code does not revoke its access token. RFC 6749 recommends that it does. [RFC 6749 section 4.1.2; access tokens cannot be revoked (documented)]`,
  'token.order': tried`Client, code, expiry, verifier, redirect URI and reuse are checked in this order. [${library}]`,
  'token.failed-attempt': tried`A wrong secret, verifier or redirect URI does not use up the code. [${library}]`,
  'token.code-lifetime': documented`A code is valid for about ten minutes. After that it is refused with invalid_grant and code 70008. [${codeFlow}; ${errorList}]`,
  'token.code-unknown': assumed`An unknown code is refused with invalid_grant and code 70000. [${errorList}: 70000]`,
  'token.verifier': documented`A wrong code_verifier is refused with invalid_grant and code 501481. Assumed: a missing one too. [${errorList}]`,
  'token.redirect-uri': observed`A redirect_uri other than the one at authorize is refused with invalid_client and code 50011. Assumed: with status 400. [MicrosoftDocs/azure-docs issue 86043]`,
  'token.scope': documented`scope is optional. A scope that the application cannot have is refused with invalid_scope and code 70011. [${codeFlow}]`,
  'token.times': tried`Codes, sessions, access tokens and client secrets expire by the clock of the sandbox. The times in an ID token come from the clock of the machine. [${library}, which creates ID tokens itself]`,
  'token.malformed': documented`A malformed request is refused with invalid_request and code 9002313. [${errorList}]`,
  'token.success': documented`A successful response contains token_type, scope, expires_in, ext_expires_in and access_token. [${codeFlow}]`,
  'token.opaque': documented`Access tokens for Graph are opaque to the application. Here they are short. [${codeFlow}]`,
  'token.no-refresh': documented`Without offline_access there is no refresh token. [${codeFlow}]`,
  'token.refresh': documented`With offline_access there is a refresh token, which can be redeemed for the same or fewer scopes. Assumed: the scope of the response omits offline_access. [${codeFlow}]`,
  'token.refresh-rotation': documented`Each use of a refresh token returns a new one. The old one stays valid. [Microsoft identity platform, refresh tokens]`,
  'token.refresh-lifetime': documented`A refresh token expires after 90 days and is then refused with invalid_grant and code 700082. [Microsoft identity platform, refresh tokens; ${errorList}]`,
  'token.refresh-revoked': documented`A refresh token issued before the user's signInSessionsValidFromDateTime is refused with invalid_grant and code 50173. [Graph, user: revokeSignInSessions; ${errorList}]`,
  'token.basic': documented`The application can authenticate with HTTP Basic. Assumed: credentials that are not form-encoded are accepted. [the published configuration of the public cloud; RFC 6749 section 2.3]`,
  'token.parameters': documented`A request without a required parameter is refused with invalid_request and code 900144. [${errorList}]`,
  'token.id-token': documented`With openid there is an ID token with ver, nbf, uti, oid and tid, and with typ in its header. The scope profile adds name and preferred_username, the scope email adds the email if the user has one. The subject is the object ID; at the real service it differs by application. [Microsoft identity platform, ID token claims reference]`,
  'token.client-info': observed`With client_info=1, the response contains client_info: the object ID and the tenant id in base64url. [the source of MSAL for Node and Python, 2026]`,
  'token.disabled-since': documented`The code of an account that has since been disabled is refused with invalid_grant and code 50057. [${errorList}]`,
  'token.throttled': assumed`A throttled request gets 429 with Retry-After, 90055. [${fromMemory}]`,
  'token.unavailable': documented`A transient error has code 90033, unless a fault sets another. [${errorList}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The id of a behaviour of the login service. Tokens for applications are in the ledger of Graph. */
export type LoginLedgerId = keyof typeof authorize | keyof typeof token | keyof typeof applications

export const loginAreas: readonly Area[] = [
  { title: 'Sign-in with Entra', entries: authorize },
  { title: 'Tokens of Entra', entries: token },
]
