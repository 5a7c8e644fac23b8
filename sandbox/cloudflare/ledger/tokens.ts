import { assumed, documented, type Entry, observed } from '../../http/ledger.ts'

const tokenProbe = 'live probe of favonia/cloudflare-ddns, 2026-06-30'

const tokensReference = 'API reference, API Tokens'

/** Credentials and tokens: authentication, scope, and tokens as resources. */
export const tokens = {
  'credential.missing': assumed`A request without credentials gets 400 with code 9106. [the message was seen, status and code were not]`,
  'credential.missing.verify': observed`The verify routes require the Authorization header and return code 1001 without it. Assumed: status 400. [kissgyorgy/cloudflare-dyndns issue 40, 2025-04]`,
  'credential.key': observed`A request with an API key, or with a token in the header of a key, gets 400 with code 6003 and 6103 in its chain. Assumed: a valid token beside it changes nothing. [acme.sh issue 6435, 2025-07]`,
  'credential.malformed': observed`A request whose credential does not look like a token gets 400 with code 6003 and 6111 in its chain. [${tokenProbe}; on the verify route kissgyorgy/cloudflare-dyndns issue 40, 2025-04]`,
  'credential.malformed.accounts': observed`On account routes, a request whose credential does not look like a token gets 400 with code 9106. [${tokenProbe}]`,
  'credential.unknown': observed`On zone routes, a request with an unknown token gets 403 with code 9109. [${tokenProbe}]`,
  'credential.unknown.verify': assumed`On the verify routes, a request with an unknown token gets 401 with code 1000. [an account token gets this on the user's route, 2026-03]`,
  'credential.unknown.accounts': observed`On account routes, a request with an unknown token gets 401 with code 10000. [${tokenProbe}]`,
  'credential.unknown.other': assumed`On user routes, a request with an unknown token gets 401 with code 10000. [as on account routes]`,
  'credential.unusable': assumed`A disabled, revoked, expired or not yet valid token is treated as unknown. [no report distinguishes them]`,
  'credential.location': observed`From an address that the token's condition does not allow, a request gets 403 with code 9109 and the address. Assumed: this is checked before the route. [ddns-go issue 1341, 2024-12]`,

  'scope.records': observed`A request for records gets 403 with code 10000 if the zone is outside the token's scope or a permission is missing. Assumed: also on the Workers routes of a zone. [terraform-provider-cloudflare issue 913, 2021-01]`,
  'scope.zones': observed`A request for a zone gets 403 with code 9109 if the token can read neither the zone nor its DNS. A token that can edit only the DNS of a zone can read the zone. [the dns_cf script of acme.sh, 2026, whose set-up with CF_Zone_ID asks for DNS Edit only and begins with GET /zones/ID; the code in octodns-cloudflare issue 60, 2023-10]`,
  'scope.account': assumed`A request for an account gets 403 with code 10000 if it is outside the token's scope or a permission is missing. [as on records]`,
  'scope.user': observed`A request to manage user tokens gets 403 with code 9109 if the token lacks the permission. [terraform-provider-cloudflare issue 3227, 2024-04]`,
  'scope.policies': documented`A policy allows or denies permission groups on zones, accounts or the user: one by one, with \`*\`, or as zones nested in an account. Assumed: deny overrides allow, for exactly the groups it lists. [${tokensReference}]`,

  'tokens.verify': observed`Verifying a usable token returns its id and status, and a message with code 10000. [reports of 2026-05]`,
  'tokens.verify.owner': observed`On the user's verify route, a request with an account token gets 401 with code 1000. Assumed: so does the reverse. [pl4nty/cloudflare-kubernetes-gateway issue 262, 2026-03]`,
  'tokens.groups': documented`Permission groups are listed by name and scope. Only groups that Homeport or its tests need exist here. The ids of the DNS groups and Zone Read were observed; the others are from memory. [${tokensReference}]`,
  'tokens.create': documented`A token is created from name, policies, condition, expires_on and not_before. Only this response contains its value. Here, the value begins with \`sandbox\` behind its prefix, so that the action knows where it is. [${tokensReference}]`,
  'tokens.create.policy-id': observed`A request to create a token with a policy that has an id gets 400 with code 1001. [cloudflare-docs pull request 352, 2020-11]`,
  'tokens.create.grant': observed`An account token that creates a token for one zone must have the same permissions on that zone. Otherwise the request gets 400 with code 1001. Tokens for all zones and user tokens are not checked. Assumed: updates follow the same rule. [terraform-provider-cloudflare issue 7241, 2026-07]`,
  'tokens.resources': documented`The resources of a policy are returned exactly as sent, nested or not. [${tokensReference}; clients compare the text]`,
  'tokens.invalid': assumed`A request with an invalid token gets 400 with code 1001 and the reason. [the code was seen for two other mistakes in tokens]`,
  'tokens.quota': assumed`A user can have 50 tokens and an account 500. A request for one more gets 400 with code 1001. [the numbers are documented, the response is not]`,
  'tokens.list': documented`Tokens are listed without values. Expired ones are left out unless include_expired is true. Assumed: 20 per page, oldest first. [${tokensReference}]`,
  'tokens.get': documented`GET returns one token without its value. [${tokensReference}]`,
  'tokens.update': documented`PUT replaces a token except for its value. If status is not sent, it is kept. [${tokensReference}]`,
  'tokens.roll': documented`Rolling a token returns a new value and invalidates the old one immediately. [${tokensReference}]`,
  'tokens.delete': documented`Deleting a token invalidates it immediately. [${tokensReference}]`,
  'tokens.missing': assumed`A request for a token that does not exist, or belongs to the other kind of owner, gets 404 with code 1003. [clients treat 404 as deleted; code and wording are from memory]`,
} as const satisfies Readonly<Record<string, Entry>>
