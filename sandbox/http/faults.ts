import { type FaultEffect, readFaultEffect } from '../cloudflare/fault-effects.ts'
import { type FaultAnswer, readFaultAnswer } from './fault-answers.ts'
import {
  readArray,
  readBoolean,
  readInteger,
  readObject,
  readOneOf,
  readString,
  ValidationError,
} from './validation.ts'

export type { FaultAnswer } from './fault-answers.ts'

/** The services whose answers a fault can take the place of. */
export const faultyServices = ['cloudflare', 'workers', 'doh', 'echo'] as const

export type FaultyService = (typeof faultyServices)[number]

/** Which requests a fault meets; what is left out meets all. */
export type FaultMatch = {
  readonly service?: FaultyService
  /** Which of the echoes or of the resolvers over HTTPS, from 0. */
  readonly instance?: number
  readonly method?: string
  /** Source of a regular expression, found anywhere in the path (which has no query). */
  readonly path?: string
}

/** One fault, as `PUT /faults` of `control` takes it. */
export type Fault = {
  readonly match: FaultMatch
  /** So many matching requests pass unharmed first. Default 0. */
  readonly skip?: number
  /** So many are met, null for all. Default 1. */
  readonly times?: number | null
  /** Whether the operation is carried out all the same. Default false; without an answer it always is. */
  readonly commit?: boolean
  /** What the client meets; the real answer when this is left out. */
  readonly answer?: FaultAnswer
  /** What happens to the services themselves. */
  readonly effect?: FaultEffect
  /** Whether that happens before the request is looked at, or when it has been answered. Default `before`. */
  readonly when?: 'before' | 'after'
}

/** What is compared with a fault's match. */
type RequestHead = Required<Pick<FaultMatch, 'service' | 'method' | 'path'>> & { readonly instance?: number }

const readPattern = (value: unknown, where: string): string => {
  const source = readString(value, where)
  try {
    new RegExp(source)
    return source
  } catch (error) {
    throw new ValidationError(
      `${where} must be the source of a regular expression: ${(error as Error).message}.`,
    )
  }
}

const readMatch = (value: unknown, where: string): FaultMatch => {
  const { service, instance, method, path } = readObject(value, where, [
    'service',
    'instance',
    'method',
    'path',
  ])
  return {
    service: readOneOf(service ?? 'cloudflare', `${where}.service`, faultyServices),
    ...(instance === undefined ? {} : { instance: readInteger(instance, `${where}.instance`, 0, 2) }),
    ...(method === undefined ? {} : { method: readString(method, `${where}.method`).toUpperCase() }),
    ...(path === undefined ? {} : { path: readPattern(path, `${where}.path`) }),
  }
}

/** Reads the list of `PUT /faults`, every default filled in. @throws ValidationError */
export const readFaults = (value: unknown): Fault[] =>
  readArray(value, 'faults').map((element, at) => {
    const where = `faults[${at}]`
    const { match, skip, times, commit, answer, effect, when } = readObject(element, where, [
      'match',
      'skip',
      'times',
      'commit',
      'answer',
      'effect',
      'when',
    ])
    if (answer === undefined && effect === undefined) {
      throw new ValidationError(`${where} must have an answer, an effect or both.`)
    }
    return {
      match: readMatch(match, `${where}.match`),
      skip: readInteger(skip ?? 0, `${where}.skip`, 0, 1_000_000),
      times: times === null ? null : readInteger(times ?? 1, `${where}.times`, 1, 1_000_000),
      commit: readBoolean(commit ?? false, `${where}.commit`),
      ...(answer === undefined ? {} : { answer: readFaultAnswer(answer, `${where}.answer`) }),
      ...(effect === undefined ? {} : { effect: readFaultEffect(effect, `${where}.effect`) }),
      when: readOneOf(when ?? 'before', `${where}.when`, ['before', 'after'] as const),
    }
  })

const matches = (match: FaultMatch, request: RequestHead): boolean =>
  (match.service ?? 'cloudflare') === request.service &&
  (match.instance === undefined || match.instance === request.instance) &&
  (match.method === undefined || match.method === request.method) &&
  (match.path === undefined || new RegExp(match.path).test(request.path))

/** The faults in force and how often each was met. */
export class Faults {
  #waiting: { fault: Fault; skip: number; times: number }[] = []

  /** Puts these in the place of all. */
  replace(faults: readonly Fault[]): void {
    this.#waiting = faults.map(fault => ({
      fault,
      skip: fault.skip ?? 0,
      times: fault.times === null ? Number.POSITIVE_INFINITY : (fault.times ?? 1),
    }))
  }

  /** What is left: faults used up are gone, `skip` and `times` count what is still to come. */
  remaining(): Fault[] {
    return this.#waiting
      .filter(({ times }) => times > 0)
      .map(({ fault, skip, times }) => ({ ...fault, skip, times: Number.isFinite(times) ? times : null }))
  }

  /**
   * The fault that meets this request: the first that matches and is not used up. A fault that still skips counts the
   * request and lets the next one have it.
   */
  take(request: RequestHead): Fault | undefined {
    for (const waiting of this.#waiting) {
      if (waiting.times === 0 || !matches(waiting.fault.match, request)) continue
      if (waiting.skip > 0) {
        waiting.skip -= 1
        continue
      }
      waiting.times -= 1
      return waiting.fault
    }
    return undefined
  }
}
