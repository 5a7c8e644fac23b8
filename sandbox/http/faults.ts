import type {
  FaultAnswerAction,
  FaultAnswers,
  FaultEffectAction,
  FaultEffects,
  Service,
} from './emulated-service.ts'
import type { RequestHead } from './exchange.ts'
import { commonFaultAnswers } from './fault-answers.ts'
import { type JsonObject, ValidationError } from './validation.ts'

/** The requests that a fault matches. Omitted fields match everything. */
export interface FaultMatch {
  /** Default: the first service. */
  readonly service?: string
  /** The instance of the service, from 0. */
  readonly instance?: number
  readonly method?: string
  /** A regular expression that matches anywhere in the path, without the query. */
  readonly path?: string
}

/** A kind of fault answer with its fields. */
export interface FaultAnswer extends JsonObject {
  readonly kind: string
}

/** A fault in `PUT /faults`. */
export interface Fault {
  readonly match: FaultMatch
  /** How many matching requests to skip first. Default 0. */
  readonly skip?: number
  /** How many requests to apply to, or null for all. Default 1. */
  readonly times?: number | null
  /** Whether the operation still runs. Default false; without an answer it always runs. */
  readonly commit?: boolean
  /** The answer for the client. Default: the real answer. */
  readonly answer?: FaultAnswer
  /** A change to the services. */
  readonly effect?: { readonly kind: string }
  /** Whether the effect comes before the request is handled or after it is answered. Default `before`. */
  readonly when?: 'before' | 'after'
}

/** A fault with all defaults, and what it does. */
export interface ActiveFault {
  readonly fault: Fault
  readonly answer?: FaultAnswerAction
  readonly effect?: FaultEffectAction
}

/** Returns an element by its name. @throws ValidationError if there is none, such as for a misspelt name */
function known<Element>(elements: Readonly<Record<string, Element>>, name: string): Element {
  const element = Object.hasOwn(elements, name) ? elements[name] : undefined
  if (element === undefined)
    throw new ValidationError(`There is no "${name}". There are ${Object.keys(elements).join(', ')}.`)
  return element
}

/**
 * Prepares the faults of `PUT /faults`.
 * @param services all services; the first is the default of `match.service`
 */
export function activate(faults: readonly Fault[], services: readonly Service[]): ActiveFault[] {
  const effects: FaultEffects = Object.assign({}, ...services.map(one => one.faultEffects))
  return faults.map(fault => {
    const { answer, effect } = fault
    const service = fault.match.service ?? services.find(({ unrecorded }) => !unrecorded)?.name ?? ''
    const target = known(Object.fromEntries(services.map(one => [one.name, one])), service)
    const answers: FaultAnswers = { ...commonFaultAnswers, ...target.faultAnswers }
    const method = fault.match.method?.toUpperCase()
    return {
      fault: { skip: 0, times: 1, ...fault, match: { ...fault.match, service, ...(method && { method }) } },
      ...(answer && { answer: known(answers, answer.kind)(answer as never) }),
      ...(effect && { effect: known(effects, effect.kind) }),
    }
  })
}

function matches(match: FaultMatch, service: string, { instance, method, path }: Matched): boolean {
  return (
    match.service === service &&
    (match.instance ?? instance) === instance &&
    (match.method ?? method) === method &&
    (match.path === undefined || new RegExp(match.path).test(path))
  )
}

type Matched = Pick<RequestHead, 'method' | 'path'> & { readonly instance: number }

/** The active faults and their counters. */
export class Faults {
  #waiting: { active: ActiveFault; skip: number; times: number }[] = []

  /** Replaces all faults. */
  replace(faults: readonly ActiveFault[]): void {
    this.#waiting = faults.map(active => ({
      active,
      skip: active.fault.skip ?? 0,
      times: active.fault.times ?? Number.POSITIVE_INFINITY,
    }))
  }

  /** Returns the faults that are not used up, with the remaining `skip` and `times`. */
  remaining(): Fault[] {
    return this.#waiting
      .filter(({ times }) => times > 0)
      .map(({ active, skip, times }) => ({
        ...active.fault,
        skip,
        times: Number.isFinite(times) ? times : null,
      }))
  }

  /**
   * Returns the fault to apply to a request: the first that matches and is not used up. A fault that still skips requests
   * counts this one and leaves it to the next fault.
   */
  take(service: string, request: Matched): ActiveFault | null {
    for (const waiting of this.#waiting) {
      if (waiting.times === 0 || !matches(waiting.active.fault.match, service, request)) continue
      if (waiting.skip > 0) {
        waiting.skip -= 1
        continue
      }
      waiting.times -= 1
      return waiting.active
    }
    return null
  }
}
