import type { Problem } from './problem.ts'
import { isName } from './records/hostname.ts'
import type { DnsRecord, Drift, RecordBody, Wanted } from './records/record.ts'
import { quote } from './report/quote.ts'

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

/** What stands at a name, as far as its one A record goes. */
export type Finding =
  | { readonly kind: 'one'; readonly record: DnsRecord }
  /** No A record; `types` are those of the other records at the name. */
  | { readonly kind: 'none'; readonly types: readonly string[] }
  | { readonly kind: 'several'; readonly records: readonly DnsRecord[] }
  | { readonly kind: 'cname' }

/**
 * Finds the A record of a name in what the service lists: only one of exactly this name, only when it is the single
 * one, and never beside a CNAME. Before a write and after it the rules are the same.
 */
export function findRecord(listed: readonly DnsRecord[], name: string): Finding {
  const atName = listed.filter(record => isName(record.name, name))
  const records = atName.filter(record => record.type === 'A')
  if (atName.some(other => other.type === 'CNAME')) return { kind: 'cname' }
  const [record, ...others] = records
  if (!record) return { kind: 'none', types: [...new Set(atName.map(({ type }) => type))] }
  return others.length > 0 ? { kind: 'several', records } : { kind: 'one', record }
}

/** The records with their ids, safe to print: `2 A records: id ("content"), id ("content")`. */
export function nameSeveral(records: readonly DnsRecord[]): string {
  return `${records.length} A records: ${records.map(({ id, content }) => `${id} (${quote(content)})`).join(', ')}`
}

/**
 * Decides from what the service lists and what is wanted. PUT may change a record's type, so writing to the first of
 * the list would turn a TXT record into an address: only what `findRecord` finds is written to. No write is planned
 * while the content is right, unless drift is to be repaired.
 */
export function reconcile(listed: readonly DnsRecord[], wanted: Wanted): Plan {
  const finding = findRecord(listed, wanted.name)
  switch (finding.kind) {
    case 'cname':
      return refuse(
        'record-conflict',
        `${wanted.name} is a CNAME, which excludes an A record. Delete the CNAME, or leave the name to it: a CNAME to ` +
          'a name that already follows the address needs no action at all.',
      )
    case 'several':
      return refuse(
        'record-ambiguous',
        `${wanted.name} has ${nameSeveral(finding.records)}. Homeport does not choose; leave exactly one.`,
      )
    case 'none':
      return wanted.create ? { kind: 'create', body: bodyOf(wanted) } : missing(wanted, finding.types)
    case 'one':
      return planFor(finding.record, wanted)
  }
}

function planFor(record: DnsRecord, wanted: Wanted): Plan {
  if (record.readOnly) {
    return refuse(
      'record-read-only',
      `The A record of ${wanted.name} is managed by another product of the DNS service and cannot be edited.`,
    )
  }
  const drift = driftOf(record, wanted)
  const right = record.content === wanted.address
  if (right && (drift.length === 0 || wanted.onDrift === 'warn')) return { kind: 'unchanged', record, drift }
  return { kind: 'update', record, body: { ...bodyOf(wanted), ...carriedOver(record) }, drift }
}

/**
 * Which fields of a record are not as they were to be written, each with both values, safe to print; empty when the
 * record is right. A proxied record's ttl is always automatic, whatever was sent.
 */
export function differences(record: DnsRecord, body: RecordBody, id: string | null): readonly string[] {
  const checks: readonly (readonly [string, boolean, unknown, unknown])[] = [
    ['id', id === null || record.id === id, record.id, id],
    ['type', record.type === body.type, record.type, body.type],
    ['name', isName(record.name, body.name), record.name, body.name],
    ['content', record.content === body.content, record.content, body.content],
    ['ttl', effectiveTtl(record) === effectiveTtl(body), effectiveTtl(record), effectiveTtl(body)],
    ['proxied', record.proxied === body.proxied, record.proxied, body.proxied],
  ]
  return checks
    .filter(([, same]) => !same)
    .map(([field, , found, sent]) => `${field} ${quote(String(found))} instead of ${String(sent)}`)
}

function missing(wanted: Wanted, types: readonly string[]): Plan {
  const found = types.length === 0 ? 'no record' : `no A record, only ${types.map(quote).join(', ')}`
  return refuse(
    'record-missing',
    `${wanted.name} has ${found} in this zone. Create the A record once (\`pulumi up\` or the dashboard), or set ` +
      'create: true.',
  )
}

function bodyOf(wanted: Wanted): RecordBody {
  return {
    type: 'A',
    name: wanted.name,
    content: wanted.address,
    ttl: wanted.ttl,
    proxied: wanted.proxied,
  }
}

/** PUT overwrites: what the body leaves out is gone, so a person's comment, tags and settings go with it. */
function carriedOver(record: DnsRecord): Pick<RecordBody, 'comment' | 'tags' | 'settings'> {
  return {
    ...(record.comment === null ? {} : { comment: record.comment }),
    ...(record.tags.length === 0 ? {} : { tags: record.tags }),
    ...(Object.keys(record.settings).length === 0 ? {} : { settings: record.settings }),
  }
}

function driftOf(record: DnsRecord, wanted: Wanted): readonly Drift[] {
  const ttl: Drift = { field: 'ttl', found: effectiveTtl(record), wanted: effectiveTtl(wanted) }
  const proxied: Drift = { field: 'proxied', found: record.proxied, wanted: wanted.proxied }
  return [ttl, proxied].filter(({ found, wanted }) => found !== wanted)
}

/** The service stores 1 (automatic) for every proxied record, so any other ttl would differ for ever. */
function effectiveTtl({ ttl, proxied }: { readonly ttl: number; readonly proxied: boolean }): number {
  return proxied ? 1 : ttl
}

function refuse(reason: Problem['reason'], message: string): Plan {
  return { kind: 'refuse', problem: { reason, message } }
}
