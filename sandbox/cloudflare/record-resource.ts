import { type Clock, formatInstant } from '../clock.ts'
import type { Body } from '../http-server.ts'
import type { LedgerId } from '../ledger.ts'
import type { Generator } from '../seed.ts'
import { isObject, type JsonObject } from '../shape.ts'
import type { Outcome } from './envelope.ts'
import { type Refusal, recordMissing, refuseRecord } from './errors.ts'
import { pageOf } from './paging.ts'
import { type DnsRecord, makeRecord } from './record.ts'
import { conflictOf, readDraft } from './record-rules.ts'
import type { Store, Zone } from './store.ts'

/** What an operation on a zone's records needs to know. */
export type RecordRequest = {
  readonly store: Store
  readonly clock: Clock
  readonly generator: Generator
  readonly zone: Zone
  readonly query: URLSearchParams
  readonly body: Body
  cite(id: LedgerId): void
}

const pageLimits = { byDefault: 100, most: 5_000_000 }

const parseObject = (body: Body): JsonObject | undefined => {
  try {
    const value: unknown = body.kind === 'text' ? JSON.parse(body.text) : undefined
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Checks what a client sent as a record, and stores it: a new one, or in the place of `previous`. */
const write = (
  { store, clock, generator, zone }: RecordRequest,
  sent: JsonObject,
  previous?: DnsRecord,
): Outcome => {
  const read = readDraft(sent, zone.name)
  if ('problems' in read) return refuseRecord(...read.problems)
  const neighbours = store.records(zone).named(read.draft.name)
  const conflict = conflictOf(
    read.draft,
    neighbours.filter(({ id }) => id !== previous?.id),
  )
  if (conflict) return refuseRecord(conflict)
  const id = previous?.id ?? generator.id()
  const record = makeRecord(id, read.draft, formatInstant(clock.now()), previous)
  store.put(zone, record)
  return { ok: true, result: record }
}

const findWritable = ({ store, zone }: RecordRequest, id: string): DnsRecord | Refusal => {
  const record = store.records(zone).get(id)
  if (record === undefined) return recordMissing
  return record.meta['read_only'] === true ? refuseRecord({ problem: 'readOnly' }) : record
}

const isRefusal = (found: DnsRecord | Refusal): found is Refusal => 'ok' in found

/** GET …/dns_records */
export const listRecords = ({ store, zone, query, cite }: RecordRequest): Outcome => {
  cite('records.list')
  const records = store.records(zone)
  const filter = (parameter: string) => query.get(parameter) ?? query.get(`${parameter}.exact`)
  const name = filter('name')
  const type = query.get('type')
  const content = filter('content')
  if (name !== null) cite('records.list.name')
  if (type !== null || content !== null) cite('records.list.filters')
  const found = (name === null ? records.all() : records.named(name)).filter(
    record => (type === null || record.type === type) && (content === null || record.content === content),
  )
  return pageOf(found, query, pageLimits)
}

/** GET …/dns_records/{id} */
export const getRecord = ({ store, zone, cite }: RecordRequest, id: string): Outcome => {
  cite('records.get')
  const record = store.records(zone).get(id)
  return record === undefined ? recordMissing : { ok: true, result: record }
}

/** POST …/dns_records */
export const createRecord = (request: RecordRequest): Outcome => {
  request.cite('records.post')
  const sent = parseObject(request.body)
  return sent === undefined ? refuseRecord({ problem: 'body' }) : write(request, sent)
}

/** PUT …/dns_records/{id}: what the body leaves out is gone. */
export const replaceRecord = (request: RecordRequest, id: string): Outcome => {
  request.cite('records.put.replaces')
  const previous = findWritable(request, id)
  if (isRefusal(previous)) return previous
  const sent = parseObject(request.body)
  return sent === undefined ? refuseRecord({ problem: 'body' }) : write(request, sent, previous)
}

/** PATCH …/dns_records/{id}: what the body leaves out stays. */
export const patchRecord = (request: RecordRequest, id: string): Outcome => {
  request.cite('records.patch')
  const previous = findWritable(request, id)
  if (isRefusal(previous)) return previous
  const sent = parseObject(request.body)
  return sent === undefined
    ? refuseRecord({ problem: 'body' })
    : write(request, { ...previous, ...sent }, previous)
}

/** DELETE …/dns_records/{id} */
export const deleteRecord = (request: RecordRequest, id: string): Outcome => {
  request.cite('records.delete')
  const record = findWritable(request, id)
  if (isRefusal(record)) return record
  request.store.remove(request.zone, id)
  return { ok: true, result: { id } }
}
