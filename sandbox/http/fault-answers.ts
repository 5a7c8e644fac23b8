import type { HttpAnswer } from './delivery.ts'
import type { Service } from './emulated-service.ts'
import type { Exchange } from './exchange.ts'
import type { FaultAnswer } from './faults.ts'
import { parseObject } from './validation.ts'

const nothing = { status: 200, headers: {}, body: '' }

/** Returns the answer that a fault gives in place of the real one, or null if it alters that. */
export function replacement(answer: FaultAnswer, service: Service, exchange: Exchange): HttpAnswer | null {
  switch (answer.kind) {
    case 'respond':
      return { headers: {}, body: '', ...answer }
    case 'errors': {
      const made = service.errorAnswer?.(exchange, answer.errors, answer.status)
      if (made === undefined) throw new Error(`${service.name} has no errors of its own.`)
      return { ...made, headers: { ...made.headers, ...answer.headers } }
    }
    case 'reset':
      return { ...nothing, sending: { how: 'reset' } }
    case 'stall':
      return { ...nothing, sending: { how: 'silence' } }
    default:
      return null
  }
}

/** Returns the real answer as a fault alters it. */
export function altered(answer: FaultAnswer, real: HttpAnswer): HttpAnswer {
  switch (answer.kind) {
    case 'delay':
      return { ...real, sending: { how: 'late', byMs: answer.byMs } }
    case 'alter': {
      const object = parseObject(String(real.body))
      const fields = Object.entries({ ...object, ...answer.body }).filter(([, value]) => value !== null)
      return object === null ? real : { ...real, body: JSON.stringify(Object.fromEntries(fields)) }
    }
    default:
      throw new Error(`There is no fault answer ${JSON.stringify(answer.kind)}.`)
  }
}
