import type { HttpAnswer } from './delivery.ts'
import type { Service } from './emulated-service.ts'
import type { Exchange } from './exchange.ts'
import type { FaultAnswer } from './faults.ts'

/** Returns the answer that a fault gives in place of the real one, or null if it only delays that. */
export function replacement(answer: FaultAnswer, service: Service, exchange: Exchange): HttpAnswer | null {
  switch (answer.kind) {
    case 'respond':
      return { headers: {}, body: '', ...answer }
    case 'errors': {
      const made = service.errorAnswer?.(exchange, answer.errors, answer.status)
      if (made === undefined) throw new Error(`${service.name} has no errors of its own.`)
      return { ...made, headers: { ...made.headers, ...answer.headers } }
    }
    case 'stall':
      return { status: 200, headers: {}, body: '', sending: { how: 'silence' } }
    case 'reset':
      return { status: 200, headers: {}, body: '', sending: { how: 'reset' } }
    case 'delay':
      return null
  }
}
