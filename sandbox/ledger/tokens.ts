import { assumed, documented, type Entry, observed } from './entry.ts'

const tokenProbe = 'live probe of favonia/cloudflare-ddns, 2026-06-30'

const tokensReference = 'API reference, API Tokens'

/** Credentials and tokens, and what they may do. */
export const tokens = {
  // Who asks
  'credential.missing': assumed(
    'A request without credentials is refused with 400, 9106.',
    'the message was seen, status and code were not',
  ),
  'credential.missing.verify': observed(
    'The verify routes want the Authorization header by name: 1001. The status 400 is assumed.',
    'kissgyorgy/cloudflare-dyndns issue 40, 2025-04',
  ),
  'credential.key': observed(
    'An API key, or a token in its place, is refused with 400, 6003 and 6103 in its chain. That it is refused even beside a token is assumed.',
    'acme.sh issue 6435, 2025-07',
  ),
  'credential.malformed': observed(
    'A value that has no token format is refused with 400, 6003 and 6111 in its chain.',
    `${tokenProbe}; on the verify route kissgyorgy/cloudflare-dyndns issue 40, 2025-04`,
  ),
  'credential.malformed.accounts': observed(
    'On account routes a value that has no token format is refused with 400, 9106.',
    tokenProbe,
  ),
  'credential.unknown': observed('An unknown token is refused on zone routes with 403, 9109.', tokenProbe),
  'credential.unknown.verify': assumed(
    'An unknown token is refused on the verify routes with 401, 1000.',
    "what an account's token gets at the user's route, 2026-03",
  ),
  'credential.unknown.accounts': observed(
    'An unknown token is refused on account routes with 401, 10000.',
    tokenProbe,
  ),
  'credential.unknown.other': assumed(
    'An unknown token is refused on the routes of a user with 401, 10000.',
    'as on account routes',
  ),
  'credential.unusable': assumed(
    'A token that is disabled, revoked, expired or not yet valid is refused as if it were unknown.',
    'no report tells them apart',
  ),
  'credential.location': observed(
    'A token used from an address that its condition does not allow is refused with 403, 9109 and the address. That this comes before every other check of the request is assumed.',
    'ddns-go issue 1341, 2024-12',
  ),

  // What a token may do
  'scope.records': observed(
    "A zone outside the token's scope, or a permission it lacks there, is refused on records with 403, 10000. That routes of Workers in a zone do the same is assumed.",
    'terraform-provider-cloudflare issue 913, 2021-01',
  ),
  'scope.zones': observed(
    'A zone cannot be read without Zone Read: 403, 9109.',
    'octodns-cloudflare issue 60, 2023-10',
  ),
  'scope.account': assumed(
    'An account outside the scope of the token, or a permission it lacks there, is refused with 403, 10000.',
    'as on records',
  ),
  'scope.user': observed(
    'The tokens of a user are refused to a token without the permission with 403, 9109.',
    'terraform-provider-cloudflare issue 3227, 2024-04',
  ),
  'scope.policies': documented(
    'A policy allows or denies permission groups on zones, accounts or the user, one by one, by * or as zones within an account. That a denial goes before what another policy allows is assumed, and that it denies exactly the groups it names.',
    tokensReference,
  ),

  // Tokens as resources
  'tokens.verify': observed(
    'A usable token gets its id and status, and a message 10000.',
    'reports of 2026-05',
  ),
  'tokens.verify.owner': observed(
    "An account's token is refused at the user's verify route with 401, 1000. The reverse is assumed.",
    'pl4nty/cloudflare-kubernetes-gateway issue 262, 2026-03',
  ),
  'tokens.groups': documented(
    'Permission groups are listed by name and scope. Only those that something here asks for are there; the identifiers of DNS and Zone Read were seen, the others are from memory.',
    tokensReference,
  ),
  'tokens.create': documented(
    'A token is made from name, policies, condition, expires_on and not_before; its value is in this answer and in no later one.',
    tokensReference,
  ),
  'tokens.create.policy-id': observed(
    'A policy with an id is refused at creation with 400, 1001.',
    'cloudflare-docs pull request 352, 2020-11',
  ),
  'tokens.create.grant': observed(
    "An account's token can make one for a single zone only with permissions that it has there itself: else 400, 1001. For all zones, or with a user's token, nothing is asked; that an update is held to the same is assumed.",
    'terraform-provider-cloudflare issue 7241, 2026-07',
  ),
  'tokens.resources': documented(
    "The resources of a policy come back as they were sent, an account's zones nested in it or not.",
    `${tokensReference}; clients compare the text`,
  ),
  'tokens.invalid': assumed(
    'A body that makes no token is refused with 400, 1001 and what is wrong.',
    'the code was seen for two other mistakes in tokens',
  ),
  'tokens.quota': assumed(
    'A user can have 50 tokens, an account 500; the next is refused with 400, 1001.',
    'the numbers are documented, the refusal is not',
  ),
  'tokens.list': documented(
    'Tokens are listed without values, without expired ones unless include_expired is true, in either direction. 20 a page and oldest first are assumed.',
    tokensReference,
  ),
  'tokens.get': documented('A token is read by its id, without its value.', tokensReference),
  'tokens.update': documented(
    'PUT replaces everything of a token but its value and, when it is not sent, its status.',
    tokensReference,
  ),
  'tokens.roll': documented(
    'Rolling gives a new value; the old one is worth nothing at once.',
    tokensReference,
  ),
  'tokens.delete': documented('A deleted token is worth nothing at once.', tokensReference),
  'tokens.missing': assumed(
    'A token id that does not exist, or belongs to the other kind of owner, is refused with 404, 1003.',
    'clients take 404 for gone; code and wording are from memory',
  ),
} as const satisfies Readonly<Record<string, Entry>>
