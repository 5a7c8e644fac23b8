import { limits } from './limits.ts'
import { records } from './records.ts'
import { tokens } from './tokens.ts'
import { transport } from './transport.ts'
import { d1, workers } from './workers.ts'
import { accounts, zones } from './zones.ts'

/** The behaviours of the API and Workers, by area. */
export const areas = [
  { title: 'API transport', entries: transport },
  { title: 'Rate limits', entries: limits },
  { title: 'Credentials and tokens', entries: tokens },
  { title: 'Account and user', entries: accounts },
  { title: 'Zones', entries: zones },
  { title: 'Records', entries: records },
  { title: 'Workers', entries: workers },
  { title: 'D1', entries: d1 },
] as const

type KeysOf<Entries> = Entries extends unknown ? keyof Entries : never

/** The id of a behaviour. */
export type LedgerId = KeysOf<(typeof areas)[number]['entries']>
