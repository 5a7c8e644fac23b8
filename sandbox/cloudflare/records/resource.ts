import { type Outcome, success } from '../envelope.ts'
import { pageOf } from '../paging.ts'
import type { ZoneCall } from '../route.ts'
import type { DnsRecord } from './record.ts'
import { withShadows } from './shadow.ts'
import { change, create, find, remove, replace } from './writes.ts'

const pageSize = { default: 100, max: 5_000_000 }

/** Returns records with their shadow metadata if the request asks for it. */
function described(
  { parts: { store }, zone, query }: ZoneCall,
  records: readonly DnsRecord[],
): readonly DnsRecord[] {
  if (query.get('include_shadow_metadata') !== 'true') return records
  // documented: With include_shadow_metadata=true, meta says which NS records shadow a record, glue included (`shadowed_by`),
  // and whether an A or AAAA record is glue of one of them (`is_glue`) that another above it cuts off (`dead_glue`). A page of
  // more than 1,000 records has none of it. Here, a batch has none either. [DNS docs, Shadowed records, 2026-09]
  return withShadows(records, store.records(zone).all(), zone.name)
}

function listRecords(call: ZoneCall): Outcome {
  const { parts, zone, query } = call
  // documented: Records are listed by page and per_page (default 100, maximum 5,000,000) with counts. A page past the end is
  // empty. Assumed: oldest first. [API reference, DNS Records for a Zone]
  // The filters are the exact name, in any case, and the type. The others of the API, which nothing here sends, are ignored.
  const [name, type] = [query.get('name'), query.get('type')]
  const records = parts.store.records(zone)
  const all = name === null ? records.all() : records.named(name)
  const page = pageOf(
    all.filter(record => type === null || record.type === type),
    query,
    pageSize,
  )
  return { ...page, result: described(call, page.result) }
}

const served = (call: ZoneCall, record: DnsRecord): Outcome => success(described(call, [record])[0])

// documented: GET returns one record. [API reference, DNS Records for a Zone]
const getRecord = (call: ZoneCall): Outcome => served(call, find(call))

const deleteRecord = (call: ZoneCall): Outcome => success({ id: remove(call).id })

/** Returns a handler of a write. */
const writeWith =
  (write: (call: ZoneCall) => DnsRecord) =>
  (call: ZoneCall): Outcome =>
    served(call, write(call))

export const recordRoutes = {
  'GET /dns_records': listRecords,
  'POST /dns_records': writeWith(create),
  'GET /dns_records/:record': getRecord,
  'PUT /dns_records/:record': writeWith(replace),
  'PATCH /dns_records/:record': writeWith(change),
  'DELETE /dns_records/:record': deleteRecord,
}
