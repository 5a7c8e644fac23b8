import { assumed, documented, type Entry, observed } from './entry.ts'

/** Zones. */
export const zones = {
  'zones.list': documented(
    'Zones are listed by name and status, 20 a page, their names in their own script. Plan, meta, owner and permissions are placeholders.',
    'API reference, Zones; names in cloudflare-go issue 688',
  ),
  'zones.list.filters': documented(
    'Zones are narrowed by name with an operator before a colon, type, account.id and account.name, joined by match, ordered by order and direction.',
    'API reference, Zones',
  ),
  'zones.list.scoped': observed(
    'A token without Zone Read on all zones cannot list them without a name: 403, code 0.',
    'NewFuture/DDNS issue 155, 2020',
  ),
  'zones.list.scoped-by-name': assumed(
    'A scoped token that asks for a zone by name gets it.',
    'godns PR 83 and pfsense saw that, ddclient PR 834 saw 403',
  ),
  'zones.get': documented('A zone is read by its id.', 'API reference, Zones'),
} as const satisfies Readonly<Record<string, Entry>>
