import { assumed, type Entry, observed } from './entry.ts'

const tokenProbe = 'live probe of favonia/cloudflare-ddns, 2026-06-30'
const fromMemory = 'number and wording from memory of an older error list'

/** Credentials, and what they may do. */
export const tokens = {
  'credential.missing': assumed(
    'A request without credentials is refused with 400, 9106.',
    'the message was seen, status and code were not',
  ),
  'credential.missing.verify': observed(
    'The verify route wants the Authorization header by name: 1001. The status 400 is assumed.',
    'reports on token verification with keys',
  ),
  'credential.key': observed(
    'An API key, or a token in its place, is refused with 400, 6003 and 6103 in its chain. That it is refused even beside a token is assumed.',
    'reports on X-Auth-Key',
  ),
  'credential.malformed': observed(
    'A value that has no token format is refused with 400, 6003 and 6111 in its chain.',
    tokenProbe,
  ),
  'credential.unknown': observed('An unknown token is refused on zone routes with 403, 9109.', tokenProbe),
  'credential.unknown.verify': assumed(
    'An unknown token is refused on the verify route with 401, 1000.',
    fromMemory,
  ),
  'credential.unknown.other': observed(
    'An unknown token is refused outside zone routes with 401, 10000.',
    `${tokenProbe}, on account lists`,
  ),
  'credential.unusable': assumed(
    'A token that is disabled, revoked, expired or not yet valid is refused as if it were unknown.',
    'no report tells them apart',
  ),
  'scope.records': observed(
    "A zone outside the token's scope, or a permission it lacks, is refused on records with 403, 10000.",
    'terraform-provider-cloudflare issue 913',
  ),
  'scope.zones': observed(
    'A zone cannot be read without Zone Read: 403, 9109.',
    'octodns-cloudflare issue 60',
  ),
  'scope.account': assumed(
    'An account outside the scope of the token, or a permission it lacks there, is refused with 403, 10000.',
    'as on records',
  ),
  'scope.user': assumed(
    'What is of the user is refused to a token without the permission with 403, 9109.',
    'as on zones',
  ),
  'tokens.verify': observed(
    'A usable token gets its id and status, and a message 10000.',
    'reports of 2026-05',
  ),
} as const satisfies Readonly<Record<string, Entry>>
