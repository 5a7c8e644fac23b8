import { formatInstant } from '../../http/clock.ts'
import type { JsonObject } from '../../http/validation.ts'
import { recordMissing, refuseRecord } from '../errors.ts'
import type { ZoneCall } from '../route.ts'
import { type DnsRecord, makeRecord } from './record.ts'
import { automaticTtl, conflictOf, readDraft } from './rules.ts'

/** Validates a record and stores it, as a new one or in place of `previous`. @param sent its fields, if they are an object */
function store(
  { parts: { store, clock, ids }, zone }: ZoneCall,
  sent: JsonObject | null,
  previous?: DnsRecord,
): DnsRecord {
  if (sent === null) throw refuseRecord({ problem: 'body' })
  const read = readDraft(sent, zone.name)
  if ('problems' in read) throw refuseRecord(...read.problems)
  const draft = read.value
  const neighbours = store.records(zone).named(draft.name)
  const conflict = conflictOf(
    draft,
    neighbours.filter(({ id }) => id !== previous?.id),
    zone.name,
  )
  if (conflict) throw refuseRecord(conflict)
  // assumed: An IPv6 address is stored in canonical form. [community.general PR 7653, 2023-12]
  const id = previous?.id ?? ids.id()
  const record = makeRecord(id, draft, formatInstant(clock.now()), previous)
  store.put(zone, record)
  return record
}

/** Returns the record in the path. */
export function find({ parts, zone, params }: ZoneCall): DnsRecord {
  const record = parts.store.records(zone).get(params['record'] ?? '')
  if (record === undefined) throw recordMissing
  return record
}

function findWritable(call: ZoneCall): DnsRecord {
  const record = find(call)
  if (record.meta['read_only'] === true) throw refuseRecord({ problem: 'readOnly' })
  return record
}

/** Creates a record. Without a ttl it is automatic, as older clients expect. */
export function create(call: ZoneCall): DnsRecord {
  // documented: POST creates a record from name, type and content. Assumed: a relative name is completed with the zone. [API
  // reference, DNS Records for a Zone]
  // observed: POST without ttl creates a record with an automatic ttl. Only PUT requires one. [libcloud and sewer send none; the
  // types of npm cloudflare 2 to 4 made it optional, to 2025]
  return store(call, call.sent && { ttl: automaticTtl, ...call.sent })
}

/** Replaces a record. Omitted fields are reset. */
export function replace(call: ZoneCall): DnsRecord {
  // assumed: PUT replaces the whole record. comment, tags, settings, private_routing and proxied are reset if the body omits
  // them. [threads of three clients agree (timothymiller PR 219, unifi-ddns 134, dness PR 201); not tried]
  return store(call, call.sent, findWritable(call))
}

/** Changes the fields of a record that were sent. */
export function change(call: ZoneCall): DnsRecord {
  // documented: PATCH changes only the fields it contains, type and content included. [API reference, DNS Records for a Zone]
  const previous = findWritable(call)
  return store(call, call.sent && { ...previous, ...call.sent }, previous)
}

/** Deletes a record. */
export function remove(call: ZoneCall): DnsRecord {
  // documented: DELETE returns the id. [API reference, DNS Records for a Zone]
  const record = findWritable(call)
  call.parts.store.remove(call.zone, record.id)
  return record
}
