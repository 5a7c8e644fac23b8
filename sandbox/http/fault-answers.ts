import type { HttpAnswer } from './delivery.ts'
import type { Service } from './emulated-service.ts'
import type { Exchange } from './exchange.ts'
import type { Fault } from './faults.ts'
import { type JsonObject, parseObject } from './validation.ts'

/** Returns an answer with other fields in its body. */
function altered(real: HttpAnswer, body: JsonObject): HttpAnswer {
  const fields = Object.entries({ ...parseObject(String(real.body)), ...body })
  return {
    ...real,
    body: JSON.stringify(Object.fromEntries(fields.filter(([, value]) => value !== null))),
  }
}

/** Returns the answer that a fault gives, or null if it sends nothing. With `commit`, the service handles the request, too. */
export async function faultyAnswer(
  { answer, commit }: Fault,
  service: Service,
  exchange: Exchange,
): Promise<HttpAnswer | null> {
  const isReal = answer.kind === 'delay' || answer.kind === 'alter'
  const real = commit || isReal ? await service.answer(exchange) : null
  switch (answer.kind) {
    case 'respond':
      return { headers: {}, body: '', ...answer }
    case 'errors': {
      const made = service.errorAnswer?.(exchange, answer.errors, answer.status)
      if (made === undefined) throw new Error(`${service.name} has no errors of its own.`)
      return { ...made, headers: { ...made.headers, ...answer.headers } }
    }
    case 'delay':
      return real
    case 'alter':
      return real && altered(real, answer.body)
    default:
      return null
  }
}
