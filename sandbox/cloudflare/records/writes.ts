import { formatInstant } from '../../http/clock.ts'
import { isObject, type JsonObject } from '../../http/validation.ts'
import { isRefusal, type Refusal, recordMissing, refuseRecord } from '../errors.ts'
import type { ZoneCall } from '../route.ts'
import { type DnsRecord, makeRecord } from './record.ts'
import { automaticTtl, conflictOf, readDraft } from './rules.ts'

/** A successful write, with the record created, changed or deleted. */
export interface Written {
  readonly record: DnsRecord
}

/** Validates the fields of a record and stores it, as a new record or in place of `previous`. */
function store(
  { parts: { store, clock, ids }, zone }: ZoneCall,
  sent: JsonObject,
  previous?: DnsRecord,
): Written | Refusal {
  const read = readDraft(sent, zone.name)
  if ('problems' in read) return refuseRecord(...read.problems)
  const draft = read.value
  const neighbours = store.records(zone).named(draft.name)
  const conflict = conflictOf(
    draft,
    neighbours.filter(({ id }) => id !== previous?.id),
    zone.name,
  )
  if (conflict) return refuseRecord(conflict)
  // assumed: An IPv6 address is stored in canonical form. [community.general PR 7653, 2023-12]
  const id = previous?.id ?? ids.id()
  const record = makeRecord(id, draft, formatInstant(clock.now()), previous)
  store.put(zone, record)
  return { record }
}

function findWritable({ parts, zone }: ZoneCall, id: unknown): DnsRecord | Refusal {
  const record = typeof id === 'string' ? parts.store.records(zone).get(id) : undefined
  if (record === undefined) return recordMissing
  return record.meta['read_only'] === true ? refuseRecord({ problem: 'readOnly' }) : record
}

/** Creates a record from a parsed body. Without a ttl it is automatic, as older clients expect. */
export function create(call: ZoneCall, sent: unknown): Written | Refusal {
  // documented: POST creates a record from name, type and content. Assumed: a relative name is completed with the zone. [API
  // reference, DNS Records for a Zone]
  // observed: POST without ttl creates a record with an automatic ttl. Only PUT requires one. [libcloud and sewer send none; the
  // types of npm cloudflare 2 to 4 made it optional, to 2025]
  return isObject(sent) ? store(call, { ttl: automaticTtl, ...sent }) : refuseRecord({ problem: 'body' })
}

/** Replaces a record with a parsed body. Omitted fields are reset. */
export function replace(call: ZoneCall, id: unknown, sent: unknown): Written | Refusal {
  // assumed: PUT replaces the whole record. comment, tags, settings, private_routing and proxied are reset if the body omits
  // them. [threads of three clients agree (timothymiller PR 219, unifi-ddns 134, dness PR 201); not tried]
  const previous = findWritable(call, id)
  if (isRefusal(previous)) return previous
  return isObject(sent) ? store(call, sent, previous) : refuseRecord({ problem: 'body' })
}

/** Changes the fields of a record that a parsed body contains. */
export function change(call: ZoneCall, id: unknown, sent: unknown): Written | Refusal {
  // documented: PATCH changes only the fields it contains, type and content included. [API reference, DNS Records for a Zone]
  const previous = findWritable(call, id)
  if (isRefusal(previous)) return previous
  return isObject(sent) ? store(call, { ...previous, ...sent }, previous) : refuseRecord({ problem: 'body' })
}

/** Deletes a record. */
export function remove(call: ZoneCall, id: unknown): Written | Refusal {
  // documented: DELETE returns the id. [API reference, DNS Records for a Zone]
  const record = findWritable(call, id)
  if (isRefusal(record)) return record
  call.parts.store.remove(call.zone, record.id)
  return { record }
}
