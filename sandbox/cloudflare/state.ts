import type { SeededIds } from '../http/seeded-ids.ts'
import type { Database } from './d1/databases.ts'
import { isWithin } from './names.ts'
import { type DnsRecord, makeRecord, plainFields } from './records/record.ts'
import type { StoreContents } from './store.ts'
import { newTokenValue, type Token } from './tokens/token.ts'
import type { WorkersContents } from './workers/workers.ts'

/** Cloudflare in `/state`. */
export interface CloudflareState extends StoreContents {
  readonly workers: WorkersContents
  readonly databases: readonly Database[]
}

/** Cloudflare in a change of `/state`. Each key replaces a collection, and records are replaced by zone. */
export interface CloudflareChange extends Partial<Pick<CloudflareState, 'workers' | 'databases'>> {
  /** They can break the rules of the API: several CNAMEs, unknown types, more fields. */
  readonly records?: Readonly<Record<string, readonly RecordSketch[]>>
  readonly tokens?: readonly Partial<Token>[]
}

type RecordSketch = Partial<DnsRecord> & Pick<DnsRecord, 'name' | 'type' | 'content'>

/** Values for fields that a test omits. */
interface StateDefaults {
  readonly ids: SeededIds
  /** In RFC 3339. */
  readonly now: string
  readonly present: StoreContents
}

const recordOf = (sketch: RecordSketch, { ids, now }: StateDefaults): DnsRecord => ({
  ...makeRecord(sketch.id ?? ids.id(), { ...plainFields, ...sketch }, now),
  ...sketch,
})

/** Returns a token with defaults for what a sketch omits. */
export function tokenOf(sketch: Partial<Token>, { ids, now }: Omit<StateDefaults, 'present'>): Token {
  const owner = sketch.owner ?? (sketch.value?.startsWith('cfat_') ? 'account' : 'user')
  return {
    id: sketch.id ?? ids.id(),
    name: 'unnamed',
    value: sketch.value ?? newTokenValue(ids, owner),
    owner,
    status: 'active',
    issuedOn: now,
    modifiedOn: now,
    policies: [],
    ...sketch,
  }
}

/** Returns the contents of a change, with defaults. @throws Error if a record is in no zone, which a test did not mean */
export function contentsOf(
  { records = {}, tokens }: CloudflareChange,
  defaults: StateDefaults,
): Partial<StoreContents> {
  const newRecords = Object.entries(records).map(([zoneId, list]) => {
    const zone = defaults.present.zones.find(({ id }) => id === zoneId)
    if (zone === undefined || !list.every(({ name }) => isWithin(name.toLowerCase(), zone.name)))
      throw new Error(`A record is outside its zone, ${zoneId}.`)
    return [zoneId, list.map(record => recordOf(record, defaults))] as const
  })
  return {
    ...(newRecords.length > 0 && { records: Object.fromEntries(newRecords) }),
    ...(tokens && { tokens: tokens.map(token => tokenOf(token, defaults)) }),
  }
}
