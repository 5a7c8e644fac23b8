import { type Area, assumed, documented, type Entry, observed, tried } from '../../http/ledger.ts'

const fromMemory = 'from memory; no text or capture at hand'
const userReference = 'Graph REST reference v1.0, user'
const applicationReference = 'Graph REST reference v1.0, application'
const principalReference = 'Graph REST reference v1.0, servicePrincipal'
const ownedBy = 'Graph permissions reference, Application.ReadWrite.OwnedBy'
const credentialsFlow = 'Microsoft identity platform, OAuth 2.0 client credentials flow'
const redirectRules = 'Microsoft identity platform, redirect URI restrictions'
/** The calls were recorded from the provider's own code against emulators. */
const provider = 'the calls of azuread 6.9.1'

/** The profile of a user. */
export const profile = {
  'me.fields': documented('The default fields, null where empty; userType only by $select.', userReference),
  'me.mail-null': observed('mail is null for accounts without a mailbox.', 'listings in public issues'),
  'me.guest': documented(
    'The principal name of a guest has #EXT#; mail is the address outside. That the name ends in the primary domain, not the initial one, is harsher on purpose.',
    'B2B collaboration, user properties',
  ),
  'me.rename': documented('A renamed user keeps the id; an id is never given to another.', userReference),
  'me.select-unknown': observed(
    'An unknown field in $select is 400 BadRequest.',
    'captures in public issues',
  ),
  'me.unauthenticated': documented(
    'No token, or one that is not valid: 401 InvalidAuthenticationToken.',
    'Graph, error responses',
  ),
  'me.challenge': observed('401 has WWW-Authenticate with authorization_uri.', 'captures in public issues'),
  'me.scope': documented('Without User.Read: 403 Authorization_RequestDenied.', 'Graph, error responses'),
  'me.deleted': assumed('A user deleted since is 404 Request_ResourceNotFound.', fromMemory),
  'me.disabled': assumed('A user disabled since is 401 Authorization_IdentityDisabled.', fromMemory),
  'me.throttled': documented('Throttling is 429 TooManyRequests with Retry-After.', 'Graph, throttling'),
  'me.envelope': documented(
    'A failure has code, message and innerError with date and ids.',
    'Graph, error responses',
  ),
} as const satisfies Readonly<Record<string, Entry>>

/** What registering applications rests on, and signing in as one. */
export const applications = {
  metadata: tried(
    'Clients find the services at /metadata/endpoints, which they ask for over https.',
    provider,
  ),
  'credentials.secret': documented(
    'An application gets a token for itself with client_id, client_secret and the scope {resource}/.default.',
    credentialsFlow,
  ),
  'credentials.assertion': assumed(
    'Who deploys may show an assertion in the place of a secret. What signed it is not looked at; the real service wants it of the issuer and subject that were agreed.',
    credentialsFlow,
  ),
  'credentials.scope': assumed(
    'Another scope is 70011.',
    'that it is refused is documented; the number is not',
  ),
  'credentials.oid': tried(
    'The token has three parts, and its payload the object id of whoever it is for.',
    provider,
  ),
  'applications.authorization': documented(
    'Without a token of an application: 401. An application without a permission: 403 Authorization_RequestDenied.',
    'Graph, error responses',
  ),
  'applications.owned': documented(
    'Who deploys may change and delete what it owns, and read the rest.',
    ownedBy,
  ),
  'applications.creator': documented('Whoever creates an application owns it.', ownedBy),
  'applications.create': documented('POST gives 201 with id, appId and no passwords.', applicationReference),
  'applications.filter': documented(
    "$filter knows displayName eq '…' and appId eq '…'.",
    applicationReference,
  ),
  'applications.update': documented('PATCH changes what it names, and gives 204.', applicationReference),
  'applications.delete': documented(
    'DELETE gives 204, then the object is 404 Request_ResourceNotFound. Its principal goes with it.',
    applicationReference,
  ),
  'applications.at-once': assumed(
    'What is written is there for every reader at once. At the real service parts of it lag behind: faults make that.',
    'delays would only lengthen tests',
  ),
  'applications.owners': documented(
    'Owners are read as a list, added by reference and removed one by one, the one who asks among them.',
    applicationReference,
  ),
  'redirects.rule': documented(
    'A redirect URI begins with https, or is of this machine; 256 characters, no wildcard, no fragment, none twice.',
    redirectRules,
  ),
  'passwords.add': documented(
    'addPassword gives 200, with the text of the secret this once.',
    applicationReference,
  ),
  'passwords.lifetime': documented(
    'A password lives two years unless it is given an end.',
    applicationReference,
  ),
  'passwords.remove': documented('removePassword gives 204; the others stay.', applicationReference),
  'passwords.sign-in': documented(
    'Any password that has not ended signs its application in, and its users.',
    credentialsFlow,
  ),
  'principals.create': documented('One principal an application; another is 409.', principalReference),
  'principals.filter': documented("$filter knows appId eq '…'.", principalReference),
  'principals.update': documented('PATCH changes whether people have to be assigned.', principalReference),
} as const satisfies Readonly<Record<string, Entry>>

export const graphAreas: readonly Area[] = [
  { title: 'Profiles in the directory', entries: profile },
  { title: 'Applications in the directory', entries: applications },
]
