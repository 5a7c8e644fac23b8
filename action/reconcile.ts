import { quote } from '../lib/quote.ts'
import type { RecordType } from '../lib/record-type.ts'
import type { Problem } from './problem.ts'
import { explainRefusal } from './records/problems.ts'
import type { Difference, DnsRecord, Drift, RecordBody, RecordLookup, Wanted } from './records/record.ts'

export type Plan =
  | { readonly kind: 'unchanged'; readonly record: DnsRecord; readonly drift: readonly Drift[] }
  | {
      readonly kind: 'update'
      readonly record: DnsRecord
      readonly body: RecordBody
      readonly drift: readonly Drift[]
    }
  | { readonly kind: 'create'; readonly body: RecordBody }
  | { readonly kind: 'refuse'; readonly problem: Problem }

export type PlannedWrite = Extract<Plan, { kind: 'update' | 'create' }>

/**
 * Finds the record of a name and type in a list: only one of exactly this name, only if it is the single one, and never
 * beside a CNAME. The same rules hold before a write and after it.
 */
export function findRecord(listed: readonly DnsRecord[], hostname: string, type: RecordType): RecordLookup {
  const atName = listed.filter(record => record.name === hostname)
  const records = atName.filter(record => record.type === type)
  if (atName.some(other => other.type === 'CNAME')) return { kind: 'cname' }
  const [record, ...others] = records
  if (!record) return { kind: 'none', types: [...new Set(atName.map(other => other.type))] }
  return others.length > 0 ? { kind: 'several', records } : { kind: 'one', record }
}

/**
 * Decides what to do from what Cloudflare lists and what is wanted. PUT can change a record's type, so writing to the
 * first of the list could turn a TXT record into an address: only what `findRecord` finds is written to. While the
 * content is right, nothing is written unless drift is to be repaired.
 */
export function reconcile(listed: readonly DnsRecord[], wanted: Wanted): Plan {
  const lookup = findRecord(listed, wanted.hostname, wanted.type)
  if (lookup.kind === 'none' && wanted.create) return { kind: 'create', body: bodyOf(wanted) }
  if (lookup.kind !== 'one') return { kind: 'refuse', problem: explainRefusal(lookup, wanted) }
  const { record } = lookup
  const body = bodyOf(wanted, record)
  const drift = driftOf(record, body)
  const right = record.content === wanted.address
  if (right && (drift.length === 0 || wanted.onDrift === 'warn')) return { kind: 'unchanged', record, drift }
  if (record.readOnly) return { kind: 'refuse', problem: explainRefusal({ kind: 'read-only' }, wanted) }
  return { kind: 'update', record, body: replacementOf(record, body), drift }
}

/**
 * Returns a body that replaces a record. PUT overwrites the whole record, so every other field that it can write is lost
 * unless the body repeats it.
 */
export function replacementOf(
  { comment, tags, settings, privateRouting }: DnsRecord,
  { type, name, content, ttl, proxied }: RecordBody,
): RecordBody {
  return {
    type,
    name,
    content,
    ttl,
    proxied,
    ...(comment === null ? {} : { comment }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...(privateRouting === null ? {} : { private_routing: privateRouting }),
  }
}

/** Returns the fields of a record that are not as they were sent; if `id` is null, any id will do. */
export function differences(record: DnsRecord, body: RecordBody, id: string | null): readonly Difference[] {
  const fields: readonly (readonly [field: string, found: unknown, sent: unknown])[] = [
    ['id', record.id, id ?? record.id],
    ['type', record.type, body.type],
    ['name', record.name, body.name],
    ['content', record.content, body.content],
    ['ttl', effectiveTtl(record), effectiveTtl(body)],
    ['proxied', record.proxied, body.proxied],
  ]
  return fields
    .filter(([, found, sent]) => found !== sent)
    .map(([field, found, sent]) => ({ field, found: String(found), sent: String(sent) }))
}

/**
 * Returns the fields that a replacement carries over and that are not as before: lost, changed, or new. These make no
 * difference: no comment or an empty one; the order of tags and the case of their names (DNS docs, Record attributes); a
 * setting, or private routing, that is absent or off; a new setting other than `servingSettings`.
 */
export function lostFields(record: DnsRecord, before: DnsRecord): readonly Difference[] {
  const settings = new Set([...servingSettings, ...Object.keys(before.settings)])
  const [found, sent] = [carriedFields(record, settings), carriedFields(before, settings)]
  // Object.keys forgets the type of the names.
  return (Object.keys(found) as (keyof typeof found)[])
    .filter(field => found[field] !== sent[field])
    .map(field => ({ field, found: found[field], sent: quote(sent[field]) }))
}

/** The settings that change what an address record is served as. Cloudflare can add others any day. */
const servingSettings = ['ipv4_only', 'ipv6_only']

function carriedFields(
  { comment, tags, settings, privateRouting }: DnsRecord,
  compared: ReadonlySet<string>,
) {
  const on = Object.entries(settings).filter(
    ([name, setting]) => compared.has(name) && setting !== false && setting !== null,
  )
  const folded = tags.map(tag => tag.replace(/[^:]*/, name => name.toLowerCase()))
  return {
    comment: comment ?? '',
    tags: folded.toSorted().join(', '),
    settings: JSON.stringify(Object.fromEntries(on.toSorted())),
    private_routing: String(privateRouting ?? false),
  }
}

/** Returns the fields to write. `kept` has what the rules leave as it is. */
function bodyOf(
  { type, hostname, address, ttl, proxied }: Wanted,
  kept: Pick<DnsRecord, 'ttl' | 'proxied'> = { ttl: 1, proxied: false },
): RecordBody {
  return {
    type,
    name: hostname,
    content: address,
    ttl: ttl ?? kept.ttl,
    proxied: proxied ?? kept.proxied,
  }
}

function driftOf(record: DnsRecord, wanted: RecordBody): readonly Drift[] {
  const ttl: Drift = { field: 'ttl', found: effectiveTtl(record), wanted: effectiveTtl(wanted) }
  const proxied: Drift = { field: 'proxied', found: record.proxied, wanted: wanted.proxied }
  return [ttl, proxied].filter(({ found, wanted }) => found !== wanted)
}

/** Cloudflare stores 1 (automatic) for every proxied record, so any other ttl would always differ. */
function effectiveTtl({ ttl, proxied }: { readonly ttl: number; readonly proxied: boolean }): number {
  return proxied ? 1 : ttl
}
