import { limits } from './cloudflare/ledger/limits.ts'
import { records } from './cloudflare/ledger/records.ts'
import { tokens } from './cloudflare/ledger/tokens.ts'
import { transport } from './cloudflare/ledger/transport.ts'
import { d1, workers } from './cloudflare/ledger/workers.ts'
import { zones } from './cloudflare/ledger/zones.ts'
import { https } from './dns/https-ledger.ts'
import { dns } from './dns/ledger.ts'
import { echo } from './echo/ledger.ts'

/** The ledger by area, in the order of its document; an area's title is a heading there. */
export const areas = [
  { title: "The API's transport", entries: transport },
  { title: 'Rate limits', entries: limits },
  { title: 'Credentials and tokens', entries: tokens },
  { title: 'Zones', entries: zones },
  { title: 'Records', entries: records },
  { title: 'Workers', entries: workers },
  { title: 'D1', entries: d1 },
  { title: 'The name server', entries: dns },
  { title: 'HTTPS and DNS over HTTPS', entries: https },
  { title: 'The address echoes', entries: echo },
] as const

/** Every behaviour that an answer can rest on. The journal names, for each request, those that it used. */
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

/** The identifier of a behaviour. */
export type LedgerId = keyof typeof ledger
