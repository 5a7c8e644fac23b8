import { type Area, assumed, documented, type Entry, observed, tried } from '../../http/ledger.ts'

const fromMemory = 'from memory; no text or capture available'
const userReference = 'Graph REST reference v1.0, user'
const applicationReference = 'Graph REST reference v1.0, application'
const federatedReference = 'Graph REST reference v1.0, federatedIdentityCredential'
const principalReference = 'Graph REST reference v1.0, servicePrincipal'
const ownedBy = 'Graph permissions reference, Application.ReadWrite.OwnedBy'
const credentialsFlow = 'Microsoft identity platform, OAuth 2.0 client credentials flow'
const redirectRules = 'Microsoft identity platform, redirect URI restrictions'
/** Calls of the provider, recorded against emulators. */
const provider = 'the calls of azuread 6.9.1'

/** The profile of a user. */
const profile = {
  'path.slashes': observed`Slashes that repeat in a path count as one. [clients of 2026 that join a base URL with a final slash and a path report success]`,
  'path.unknown': assumed`An application's request for anything else gets 403 Authorization_RequestDenied, as for a collection that its permissions do not cover. [Graph, error responses]`,
  'me.fields': documented`The default fields are returned, null if empty. userType needs $select. [${userReference}]`,
  'me.mail-null': observed`mail is null for an account without a mailbox. [listings in public issues]`,
  'me.guest': documented`The principal name of a guest contains #EXT#, and mail is the external address. Here that name ends in the primary domain instead of the initial one, so that the domain alone does not reveal a guest. [B2B collaboration, user properties]`,
  'me.rename': documented`A renamed user keeps their object ID, which is never reused. [${userReference}]`,
  'me.select-unknown': observed`A request with an unknown field in $select gets 400 BadRequest. [captures in public issues]`,
  'me.unauthenticated': documented`Without a valid token, a request gets 401 InvalidAuthenticationToken. [Graph, error responses]`,
  'me.challenge': observed`A 401 has a WWW-Authenticate header with authorization_uri. [captures in public issues]`,
  'me.scope': documented`A request whose token lacks User.Read gets 403 Authorization_RequestDenied. [Graph, error responses]`,
  'me.deleted': assumed`A request with the token of a deleted user gets 404 Request_ResourceNotFound. [${fromMemory}]`,
  'me.disabled': assumed`A request with the token of a disabled user gets 401 Authorization_IdentityDisabled. [${fromMemory}]`,
  'me.throttled': documented`A throttled request gets 429 TooManyRequests with Retry-After. [Graph, throttling]`,
  'me.envelope': documented`An error has code, message and innerError with date and ids. [Graph, error responses]`,
  'userinfo.claims': documented`GET and POST /oidc/userinfo return sub. The scope profile adds names and picture, the scope email adds email. Assumed: a request whose token lacks openid gets 403. [Microsoft identity platform, UserInfo endpoint]`,
} as const satisfies Readonly<Record<string, Entry>>

/** Applications, service principals, and tokens for applications. */
export const applications = {
  metadata: tried`Clients find the services at /metadata/endpoints over HTTPS. [${provider}]`,
  'credentials.secret': documented`An application gets a token for itself with client_id, client_secret and the scope {resource}/.default. [${credentialsFlow}]`,
  'credentials.assertion': assumed`A deployer can send an assertion instead of a secret. Its issuer, subject and signature are not checked here, unlike at the real service. [${credentialsFlow}]`,
  'credentials.scope': observed`The scopes openid, profile and offline_access beside that one make no difference. Without one that ends in /.default, the request is refused with invalid_scope and code 1002012. [the sources of MSAL for Go and Java, 2026, which always send them; captures of 1002012 in public issues]`,
  'credentials.oid': tried`The token has three parts, and its payload contains the object ID of the application. [${provider}]`,
  'applications.authorization': documented`A request without the token of an application gets 401. If the token lacks the permission, it gets 403 Authorization_RequestDenied. [Graph, error responses]`,
  'applications.me': observed`A request for /me with the token of an application gets 400 BadRequest, since that has no user. [msgraph-sdk-php issue 1163, 2023-03]`,
  'applications.permissions': documented`An application token has the permissions that its service principal had when the token was issued, as \`roles\`. Application.ReadWrite.OwnedBy is needed to write, and it or Application.Read.All to read. The deployer always has the first. [${credentialsFlow}; Graph permissions reference]`,
  'applications.owned': documented`An application with Application.ReadWrite.OwnedBy can register others, change and delete those that it owns, and read all. [${ownedBy}]`,
  'applications.creator': documented`The creator of an application owns it. [${ownedBy}]`,
  'applications.create': documented`POST returns 201 with id, appId and an empty list of passwords. [${applicationReference}]`,
  'applications.filter': documented`$filter supports displayName eq '…' and appId eq '…'. [${applicationReference}]`,
  'applications.get': tried`An application has every field that the provider compares, such as a whole \`api\`, and groupMembershipClaims null unless it is set. [${provider}: without them it plans an update at every run]`,
  'applications.update': documented`PATCH changes the fields that are sent and returns 204. [${applicationReference}]`,
  'applications.delete': documented`DELETE returns 204 and also deletes the service principal. A request for the object then gets 404 Request_ResourceNotFound. [${applicationReference}]`,
  'directory.missing': documented`A request for an object that does not exist gets 404 Request_ResourceNotFound. [Graph, error responses]`,
  'directory.null': tried`null in a PATCH clears a text and resets any other field to its default. Omitted fields keep their value, even within \`web\`, \`api\` and \`info\`. [${provider}]`,
  'directory.times': tried`Times are in UTC, end in Z and have no fraction. A time sent in this format is returned unchanged. [${provider}, which compares times as text]`,
  'applications.at-once': assumed`A write is visible to every reader immediately. The real service replicates with delays, which faults can imitate. [delays would only make tests longer]`,
  'applications.owners': documented`Owners can be listed, added by reference and removed one by one. An owner can remove itself. [${applicationReference}]`,
  'redirects.rule': documented`A redirect URI starts with https or is on localhost. It has at most 256 characters, is unique, and has no wildcard and no fragment. [${redirectRules}]`,
  'passwords.add': documented`addPassword returns 200. Only this response contains the secret. [${applicationReference}]`,
  'passwords.lifetime': documented`A password is valid for two years unless the request sets an end. [${applicationReference}]`,
  'passwords.remove': documented`removePassword returns 204 and keeps the other passwords. [${applicationReference}]`,
  'passwords.sign-in': documented`Every unexpired password authenticates its application, including those of its service principal. [${credentialsFlow}; ${principalReference}]`,
  'keys.update': documented`keyCredentials in a PATCH or POST replaces all certificates. An element without \`key\` keeps the certificate with its keyId. Responses do not contain \`key\`. [${applicationReference}]`,
  'federated.list': documented`GET lists the federated credentials of an application. [${federatedReference}]`,
  'federated.add': documented`POST returns 201. A federated credential has a name, an issuer, a subject and one audience. [${federatedReference}]`,
  'federated.unique': documented`Within an application, each name is unique, and so is each pair of issuer and subject. Assumed: a request for a duplicate gets 400. [${federatedReference}]`,
  'federated.remove': documented`DELETE removes a federated credential and returns 204. [${federatedReference}]`,
  'assignments.list': documented`GET appRoleAssignments lists the application permissions of a service principal. [Graph REST reference v1.0, appRoleAssignment]`,
  'assignments.add': assumed`POST adds an application permission and returns 201. Here an owner of the service principal can do this, and the permission need not exist. The real service requires an administrator. [Graph REST reference v1.0, appRoleAssignment]`,
  'principals.create': documented`An application can have one service principal. A request to create a second one gets 409, even if the response to the first creation was lost. Seen: "the service principal name CLIENT-ID is already in use". [${principalReference}]`,
  'principals.filter': documented`$filter supports appId eq '…'. [${principalReference}]`,
  'principals.get': documented`A service principal includes the names, redirect URIs, roles and scopes of its application. [${principalReference}]`,
  'principals.update': documented`PATCH changes the fields that are sent and returns 204. appRoleAssignmentRequired restricts sign-in to assigned users. [${principalReference}]`,
  'principals.delete': documented`DELETE deletes a service principal and returns 204. [${principalReference}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The id of a behaviour. */
export type GraphLedgerId = keyof typeof profile | keyof typeof applications

export const graphAreas: readonly Area[] = [
  { title: 'Profiles in Graph', entries: profile },
  { title: 'Applications in Graph', entries: applications },
]
