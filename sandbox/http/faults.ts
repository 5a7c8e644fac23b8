import type { FaultAnswerAction, FaultEffectAction, FaultEffectReaders, Service } from './emulated-service.ts'
import type { RequestHead } from './exchange.ts'
import { commonFaultAnswers } from './fault-answers.ts'
import {
  integer,
  type JsonObject,
  listOf,
  oneOf,
  optional,
  type Reader,
  readBoolean,
  readFields,
  readInteger,
  readObject,
  readOneOf,
  readString,
  ValidationError,
  withDefault,
} from './validation.ts'

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

/** A kind of fault effect with its fields. */
interface FaultEffect extends JsonObject {
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
  readonly effect?: FaultEffect
  /** Whether the effect comes before the request is handled or after it is answered. Default `before`. */
  readonly when?: 'before' | 'after'
}

/** A validated fault with all defaults. */
export interface ActiveFault {
  readonly fault: Fault
  readonly answer?: FaultAnswerAction
  readonly effect?: FaultEffectAction
}

function readPattern(value: unknown, where: string): string {
  const source = readString(value, where)
  try {
    new RegExp(source)
    return source
  } catch (error) {
    throw new ValidationError(`${where} must be a regular expression: ${(error as Error).message}.`)
  }
}

/** Reads an answer or an effect with the reader of its kind, if it is defined. */
function readPart<Action extends { readonly fields: JsonObject }>(
  value: JsonObject | undefined,
  where: string,
  readers: Readonly<Record<string, Reader<Action>>>,
) {
  if (value === undefined) return undefined
  const { kind: given, ...fields } = value
  const kind = readOneOf(given, `${where}.kind`, Object.keys(readers))
  const action = readers[kind]?.(fields, where)
  return action && { shown: { kind, ...action.fields }, action }
}

const maxCount = 1_000_000

const faultFields = {
  match: readObject,
  skip: withDefault(0, integer(0, maxCount)),
  times: withDefault(1, (value, where) => (value === null ? null : readInteger(value, where, 1, maxCount))),
  commit: withDefault(false, readBoolean),
  answer: optional(readObject),
  effect: optional(readObject),
  when: withDefault('before', oneOf(['before', 'after'])),
}

function readFault(value: unknown, where: string, services: readonly Service[]): ActiveFault {
  const { match: given, answer, effect, ...terms } = readFields(value, where, faultFields)
  if (answer === undefined && effect === undefined) {
    throw new ValidationError(`${where} must have an answer, an effect or both.`)
  }
  const names = services.filter(({ unrecorded }) => !unrecorded).map(({ name }) => name)
  const service = readOneOf(given['service'] ?? names[0], `${where}.match.service`, names)
  const target = services.find(({ name }) => name === service)
  const match = readFields(given, `${where}.match`, {
    service: () => service,
    instance: optional(integer(0, (target?.instances ?? 1) - 1)),
    method: optional((method, place) => readString(method, place).toUpperCase()),
    path: optional(readPattern),
  })
  const answerReaders = { ...commonFaultAnswers, ...target?.faultAnswers }
  const effectReaders: FaultEffectReaders = Object.assign({}, ...services.map(one => one.faultEffects))
  const answers = readPart(answer, `${where}.answer`, answerReaders)
  const effects = readPart(effect, `${where}.effect`, effectReaders)
  return {
    fault: {
      ...terms,
      match,
      ...(answers && { answer: answers.shown }),
      ...(effects && { effect: effects.shown }),
    },
    ...(answers && { answer: answers.action }),
    ...(effects && { effect: effects.action }),
  }
}

/**
 * Reads the list of `PUT /faults`.
 * @param services all services; the first is the default of `match.service`
 * @throws ValidationError
 */
export function readFaults(value: unknown, services: readonly Service[]): ActiveFault[] {
  return listOf((element, where) => readFault(element, where, services))(value, 'faults')
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
