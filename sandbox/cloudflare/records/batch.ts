import { isObject, type JsonObject } from '../../http/validation.ts'
import type { Outcome } from '../envelope.ts'
import { type ApiError, type Refusal, refuse, refuseRecord } from '../errors.ts'
import { parseBody } from '../request-body.ts'
import type { ZoneCall } from '../route.ts'
import { change, create, isRefusal, remove, replace, type Written } from './writes.ts'

/** What a free plan allows in one batch. */
const mostOperations = 200

type Operation = (call: ZoneCall, sent: JsonObject) => Written | Refusal

/** In the order in which the service carries them out, whatever the order in the body. */
const kinds: readonly (readonly [name: string, operate: Operation])[] = [
  ['deletes', (call, { id }) => remove(call, id)],
  ['patches', (call, { id, ...fields }) => change(call, id, fields)],
  ['puts', (call, { id, ...fields }) => replace(call, id, fields)],
  ['posts', (call, fields) => create(call, fields)],
]

/** Says in which operation of the batch an error is. */
const pointed = (refusal: Refusal, operation: string): Refusal => ({
  ...refusal,
  errors: refusal.errors.map(
    (error): ApiError => ({ ...error, source: { pointer: `${operation}${error.source?.pointer ?? ''}` } }),
  ),
})

const readLists = (body: JsonObject): ReadonlyMap<string, readonly unknown[]> | Refusal => {
  const lists = kinds.map(([name]) => [name, body[name] ?? []] as const)
  const stranger = lists.find(([, list]) => !Array.isArray(list))
  if (stranger) return refuseRecord({ problem: 'field', pointer: `/${stranger[0]}` })
  return new Map(lists.map(([name, list]) => [name, list as readonly unknown[]]))
}

/** POST …/dns_records/batch: everything or, when one operation fails, nothing. */
export const batchRecords = (call: ZoneCall): Outcome => {
  call.cite('records.batch')
  const body = parseBody(call.body)
  if (body === undefined) return refuseRecord({ problem: 'body' })
  const lists = readLists(body)
  if (isRefusal(lists)) return lists
  const count = [...lists.values()].reduce((sum, list) => sum + list.length, 0)
  if (count > mostOperations) {
    return refuse(400, 'records.batch.limit', {
      code: 9207,
      message: `A batch may have ${mostOperations} operations, not ${count}.`,
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
          return pointed(outcome, `/${name}/${at}`)
        }
        written.push(outcome.record)
      }
      result[name] = written
    }
    return { ok: true, result }
  })
}
