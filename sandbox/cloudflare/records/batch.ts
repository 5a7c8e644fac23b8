import { isObject, type JsonObject } from '../../http/validation.ts'
import { type Outcome, success } from '../envelope.ts'
import { type ApiError, isRefusal, type Refusal, refuse, refuseRecord } from '../errors.ts'
import { parseBody } from '../request-body.ts'
import type { ZoneCall } from '../route.ts'
import { change, create, remove, replace, type Written } from './writes.ts'

/** The batch limit of a free plan (API reference, DNS Records). */
const maxOperations = 200

type Operation = (call: ZoneCall, sent: JsonObject) => Written | Refusal

/** The operations in the order in which the service runs them (API reference, DNS Records). */
const kinds: readonly (readonly [name: string, operate: Operation])[] = [
  ['deletes', (call, { id }) => remove(call, id)],
  ['patches', (call, { id, ...fields }) => change(call, id, fields)],
  ['puts', (call, { id, ...fields }) => replace(call, id, fields)],
  ['posts', (call, fields) => create(call, fields)],
]

/** Returns a refusal whose errors point at an operation of the batch. */
const atOperation = (refusal: Refusal, operation: string): Refusal => ({
  ...refusal,
  errors: refusal.errors.map(
    (error): ApiError => ({ ...error, source: { pointer: `${operation}${error.source?.pointer ?? ''}` } }),
  ),
})

function readLists(body: JsonObject): ReadonlyMap<string, readonly unknown[]> | Refusal {
  const lists = kinds.map(([name]) => [name, body[name] ?? []] as const)
  const invalid = lists.find(([, list]) => !Array.isArray(list))
  if (invalid) return refuseRecord({ problem: 'field', pointer: `/${invalid[0]}` })
  return new Map(lists.map(([name, list]) => [name, list as readonly unknown[]]))
}

/** Handles POST …/dns_records/batch. Runs all operations, or none if one fails. */
export function batchRecords(call: ZoneCall): Outcome {
  call.cite('records.batch')
  const body = parseBody(call.body)
  if (body === null) return refuseRecord({ problem: 'body' })
  const lists = readLists(body)
  if (isRefusal(lists)) return lists
  const count = [...lists.values()].reduce((sum, list) => sum + list.length, 0)
  if (count > maxOperations) {
    return refuse(400, 'records.batch.limit', {
      code: 9207,
      message: `A batch can have at most ${maxOperations} operations, but this one has ${count}.`,
    })
  }
  const { store } = call.parts
  return store.transaction(call.zone, () => {
    const result: Record<string, unknown[]> = {}
    for (const [name, operate] of kinds) {
      const written: unknown[] = []
      for (const [at, sent] of (lists.get(name) ?? []).entries()) {
        const outcome = isObject(sent) ? operate(call, sent) : refuseRecord({ problem: 'body' })
        if (isRefusal(outcome)) {
          call.cite('records.batch.fails')
          return atOperation(outcome, `/${name}/${at}`)
        }
        written.push(outcome.record)
      }
      result[name] = written
    }
    return success(result)
  })
}
