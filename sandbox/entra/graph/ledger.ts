import { type Area, assumed, documented, type Entry, observed, tried } from '../../http/ledger.ts'

const fromMemory = 'from memory; no text or capture available'
const userReference = 'Graph REST reference v1.0, user'
const applicationReference = 'Graph REST reference v1.0, application'
const federatedReference = 'Graph REST reference v1.0, federatedIdentityCredential'
const principalReference = 'Graph REST reference v1.0, servicePrincipal'
const ownedBy = 'Graph permissions reference, Application.ReadWrite.OwnedBy'
const credentialsFlow = 'Microsoft identity platform, OAuth 2.0 client credentials flow'
const redirectRules = 'Microsoft identity platform, redirect URI restrictions'
/** Recorded from the provider's own code against emulators. */
const provider = 'the calls of azuread 6.9.1'

/** The profile of a user. */
export const profile = {
  'me.fields': documented`The default fields are returned, null if empty. userType needs $select. [${userReference}]`,
  'me.mail-null': observed`mail is null for accounts without a mailbox. [listings in public issues]`,
  'me.guest': documented`The principal name of a guest contains #EXT#, and mail is the external address. The name ends in the primary domain instead of the initial one: stricter on purpose. [B2B collaboration, user properties]`,
  'me.rename': documented`A renamed user keeps the id. An id is never reused. [${userReference}]`,
  'me.select-unknown': observed`An unknown field in $select gets 400 BadRequest. [captures in public issues]`,
  'me.unauthenticated': documented`A missing or invalid token gets 401 InvalidAuthenticationToken. [Graph, error responses]`,
  'me.challenge': observed`401 has WWW-Authenticate with authorization_uri. [captures in public issues]`,
  'me.scope': documented`A token without User.Read gets 403 Authorization_RequestDenied. [Graph, error responses]`,
  'me.deleted': assumed`A user who was deleted in the meantime gets 404 Request_ResourceNotFound. [${fromMemory}]`,
  'me.disabled': assumed`A user who was disabled in the meantime gets 401 Authorization_IdentityDisabled. [${fromMemory}]`,
  'me.throttled': documented`Throttling is 429 TooManyRequests with Retry-After. [Graph, throttling]`,
  'me.envelope': documented`An error has code, message and innerError with date and ids. [Graph, error responses]`,
  'userinfo.claims': documented`GET and POST /oidc/userinfo return sub, with profile also names and picture, with email also email. A token without openid gets 403 (assumed). [Microsoft identity platform, UserInfo endpoint]`,
} as const satisfies Readonly<Record<string, Entry>>

/** Applications, service principals, and tokens for applications. */
export const applications = {
  metadata: tried`Clients find the services at /metadata/endpoints over HTTPS. [${provider}]`,
  'credentials.secret': documented`An application gets a token for itself with client_id, client_secret and the scope {resource}/.default. [${credentialsFlow}]`,
  'credentials.assertion': assumed`A deployer can send an assertion instead of a secret. Its signature is not checked; the real service requires the agreed issuer and subject. [${credentialsFlow}]`,
  'credentials.scope': assumed`Another scope gets 70011. [that it is refused is documented; the number is not]`,
  'credentials.oid': tried`The token has three parts, and its payload has the object id of the application. [${provider}]`,
  'applications.authorization': documented`A request without an application token gets 401. Without a permission it gets 403 Authorization_RequestDenied. [Graph, error responses]`,
  'applications.owned': documented`A deployer can change and delete what it owns, and read the rest. [${ownedBy}]`,
  'applications.creator': documented`The creator of an application owns it. [${ownedBy}]`,
  'applications.create': documented`POST gets 201 with id, appId and no passwords. [${applicationReference}]`,
  'applications.filter': documented`$filter supports displayName eq '…' and appId eq '…'. [${applicationReference}]`,
  'applications.get': tried`An application has every field that the provider compares, such as a whole \`api\`, and groupMembershipClaims null unless it is set. [${provider}: without them it plans an update at every run]`,
  'applications.update': documented`PATCH changes the given fields, and gets 204. [${applicationReference}]`,
  'applications.delete': documented`DELETE gets 204, and the object then 404 Request_ResourceNotFound. Its service principal is deleted too. [${applicationReference}]`,
  'directory.missing': documented`An object that does not exist gets 404 Request_ResourceNotFound. [Graph, error responses]`,
  'directory.null': tried`null in a PATCH clears a text, and unsets every other field. An omitted field stays as it is, also within \`web\`, \`api\` and \`info\`. [${provider}]`,
  'directory.times': tried`Times are in UTC, end in Z and have no fraction, so a time that was sent that way comes back unchanged. [${provider}, which compares them as text]`,
  'applications.at-once': assumed`Every reader sees a write at once. In the real service, some readers see it late; use faults for that. [delays would only lengthen tests]`,
  'applications.owners': documented`Owners are listed, added by reference and removed one by one. An owner can remove itself. [${applicationReference}]`,
  'redirects.rule': documented`A redirect URI starts with https or is on localhost, has up to 256 characters, no wildcard and no fragment, and is unique. [${redirectRules}]`,
  'passwords.add': documented`addPassword gets 200. Only this response has the secret. [${applicationReference}]`,
  'passwords.lifetime': documented`A password is valid for two years unless an end is given. [${applicationReference}]`,
  'passwords.remove': documented`removePassword gets 204. Other passwords stay. [${applicationReference}]`,
  'passwords.sign-in': documented`Every unexpired password authenticates its application. [${credentialsFlow}]`,
  'keys.update': documented`keyCredentials in a PATCH or POST replaces the certificates. One without \`key\` stays as it is, found by its keyId. Answers show no \`key\`. [${applicationReference}]`,
  'federated.list': documented`An application lists its federated credentials. [${federatedReference}]`,
  'federated.add': documented`POST gets 201. A federated credential has name, issuer, subject and one audience. [${federatedReference}]`,
  'federated.unique': documented`The name, and issuer and subject together, are unique in an application. The status 400 is assumed. [${federatedReference}]`,
  'federated.remove': documented`DELETE gets 204. [${federatedReference}]`,
  'assignments.list': documented`GET appRoleAssignments lists the application permissions of a service principal. [Graph REST reference v1.0, appRoleAssignment]`,
  'assignments.add': assumed`POST adds one: 201. An owner of the service principal can, and the role is not looked up. The real service requires an administrator. [Graph REST reference v1.0, appRoleAssignment]`,
  'principals.create': documented`An application can have one service principal. Another gets 409. [${principalReference}]`,
  'principals.filter': documented`$filter supports appId eq '…'. [${principalReference}]`,
  'principals.get': documented`A service principal shows names, redirect URIs, roles and scopes of its application. [${principalReference}]`,
  'principals.update': documented`PATCH changes the given fields, and gets 204. Users can be required to be assigned. [${principalReference}]`,
  'principals.delete': documented`DELETE gets 204. [${principalReference}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** The id of a behaviour. */
export type Behaviour = keyof typeof profile | keyof typeof applications

export const graphAreas: readonly Area[] = [
  { title: 'Profiles in the directory', entries: profile },
  { title: 'Applications in the directory', entries: applications },
]
