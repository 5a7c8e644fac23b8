import { assumed, documented, type Entry, observed } from '../../http/ledger.ts'

const accountsReference = 'API reference, Accounts and User; types of npm cloudflare 7.3.0'

/** The account and the user, which some clients read first. */
export const accounts = {
  'accounts.list': observed`The account is listed for a user token with Account Settings Read. Other user tokens get an empty list. [cloudflare-go issue 725, 2021-10]`,
  'accounts.list.owner': observed`A request to list accounts with an account token gets 400 with code 1001. [edgefirst-dev/starter issue 3, 2024-12]`,
  'accounts.get': documented`GET returns the account. [${accountsReference}]`,
  'user.get': documented`GET returns the user. Most fields are placeholders. [${accountsReference}]`,
  'user.memberships': documented`The membership of the user in the account is listed. Its roles and permissions are placeholders. [${accountsReference}]`,
} as const satisfies Readonly<Record<string, Entry>>

/** Zones. */
export const zones = {
  'zones.list': documented`Zones are listed by name and status, 20 per page and at most 50, with names in Unicode. Plan, meta, owner and permissions are placeholders, and tenant and vanity name servers are empty. [API reference, Zones; names in cloudflare-go issue 688; the other fields in recordings of dns-lexicon, 2025-08]`,
  'zones.list.capped': observed`A per_page above 50 is treated as 50, and a trailing dot of a name is ignored. [lexicon, which sends per_page=100, and libdns, which sends the dot, report success in 2026]`,
  'zones.list.account': documented`Zones can be filtered by account.id. [API reference, Zones; octoDNS sends it]`,
  'zones.list.scoped': observed`Listing zones without a name requires Zone Read on all zones. With any other token, the request gets 403 with code 0. [NewFuture/DDNS issue 155, 2020]`,
  'zones.list.scoped-by-name': assumed`A token for one zone can find that zone by name. [godns PR 83 and pfsense saw this; ddclient PR 834 saw 403]`,
  'zones.page-rules': documented`The list of page rules is empty. [API reference, Page Rules]`,
  'zones.headers': observed`A zone, and the list of zones, comes with headers that forbid caching and framing. [recordings of dns-lexicon, 2025-08]`,
  'zones.get': documented`GET returns one zone. [API reference, Zones]`,
} as const satisfies Readonly<Record<string, Entry>>
