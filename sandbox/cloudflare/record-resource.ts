import { formatInstant } from '../clock.ts'
import type { Body } from '../http-server.ts'
import { isObject, type JsonObject } from '../shape.ts'
import type { Outcome } from './envelope.ts'
import { type Refusal, recordMissing, refuseRecord } from './errors.ts'
import { pageOf } from './paging.ts'
import { type DnsRecord, makeRecord } from './record.ts'
import { conflictOf, readDraft } from './record-rules.ts'
import type { Route, ZoneCall } from './route.ts'

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
  { parts: { store, clock, generator }, zone }: ZoneCall,
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

const findWritable = ({ parts: { store }, zone, params }: ZoneCall): DnsRecord | Refusal => {
  const record = store.records(zone).get(params['record'] ?? '')
  if (record === undefined) return recordMissing
  return record.meta['read_only'] === true ? refuseRecord({ problem: 'readOnly' }) : record
}

const isRefusal = (found: DnsRecord | Refusal): found is Refusal => 'ok' in found

/** GET …/dns_records */
const listRecords = ({ parts: { store }, zone, query, cite }: ZoneCall): Outcome => {
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
const getRecord = ({ parts: { store }, zone, params, cite }: ZoneCall): Outcome => {
  cite('records.get')
  const record = store.records(zone).get(params['record'] ?? '')
  return record === undefined ? recordMissing : { ok: true, result: record }
}

/** POST …/dns_records */
const createRecord = (call: ZoneCall): Outcome => {
  call.cite('records.post')
  const sent = parseObject(call.body)
  return sent === undefined ? refuseRecord({ problem: 'body' }) : write(call, sent)
}

/** PUT …/dns_records/{id}: what the body leaves out is gone. */
const replaceRecord = (call: ZoneCall): Outcome => {
  call.cite('records.put.replaces')
  const previous = findWritable(call)
  if (isRefusal(previous)) return previous
  const sent = parseObject(call.body)
  return sent === undefined ? refuseRecord({ problem: 'body' }) : write(call, sent, previous)
}

/** PATCH …/dns_records/{id}: what the body leaves out stays. */
const patchRecord = (call: ZoneCall): Outcome => {
  call.cite('records.patch')
  const previous = findWritable(call)
  if (isRefusal(previous)) return previous
  const sent = parseObject(call.body)
  return sent === undefined
    ? refuseRecord({ problem: 'body' })
    : write(call, { ...previous, ...sent }, previous)
}

/** DELETE …/dns_records/{id} */
const deleteRecord = (call: ZoneCall): Outcome => {
  call.cite('records.delete')
  const record = findWritable(call)
  if (isRefusal(record)) return record
  call.parts.store.remove(call.zone, record.id)
  return { ok: true, result: { id: record.id } }
}

const collection = '/zones/:zone/dns_records'
const item = `${collection}/:record` as const

export const recordRoutes: readonly Route[] = [
  { method: 'GET', pattern: collection, on: 'zone', requires: 'dnsRead', handle: listRecords },
  { method: 'POST', pattern: collection, on: 'zone', requires: 'dnsWrite', handle: createRecord },
  { method: 'GET', pattern: item, on: 'zone', requires: 'dnsRead', handle: getRecord },
  { method: 'PUT', pattern: item, on: 'zone', requires: 'dnsWrite', handle: replaceRecord },
  { method: 'PATCH', pattern: item, on: 'zone', requires: 'dnsWrite', handle: patchRecord },
  { method: 'DELETE', pattern: item, on: 'zone', requires: 'dnsWrite', handle: deleteRecord },
]
