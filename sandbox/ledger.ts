import { limits } from './cloudflare/ledger/limits.ts'
import { records } from './cloudflare/ledger/records.ts'
import { tokens } from './cloudflare/ledger/tokens.ts'
import { transport } from './cloudflare/ledger/transport.ts'
import { d1, workers } from './cloudflare/ledger/workers.ts'
import { zones } from './cloudflare/ledger/zones.ts'
import { https } from './dns/https-ledger.ts'
import { dns } from './dns/ledger.ts'
import { echo } from './echo/ledger.ts'

/** The areas of the ledger, in the order and with the headings of docs/sandbox.md. */
export const areas = [
  { title: 'API transport', entries: transport },
  { title: 'Rate limits', entries: limits },
  { title: 'Credentials and tokens', entries: tokens },
  { title: 'Zones', entries: zones },
  { title: 'Records', entries: records },
  { title: 'Workers', entries: workers },
  { title: 'D1', entries: d1 },
  { title: 'Name servers', entries: dns },
  { title: 'HTTPS and DNS over HTTPS', entries: https },
  { title: 'Address echoes', entries: echo },
] as const

/** All behaviours. For each request, the journal lists the ones that its response relies on. */
export const ledger = {
  ...transport,
  ...limits,
  ...tokens,
  ...zones,
  ...records,
  ...workers,
  ...d1,
  ...dns,
  ...https,
  ...echo,
} as const

/** The id of a behaviour. */
export type LedgerId = keyof typeof ledger
