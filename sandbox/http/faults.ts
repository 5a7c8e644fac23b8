import type { RequestHead } from './exchange.ts'
import type { JsonObject } from './validation.ts'

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

/**
 * What the client gets. `stall` and `reset` send nothing. `delay` sends the real answer late, and `alter` with other fields.
 */
export type FaultAnswer =
  | {
      readonly kind: 'respond'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  | {
      readonly kind: 'errors'
      readonly status?: number
      /** In the form of the service: with a code, a message or both. */
      readonly errors: readonly FaultError[]
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'reset' | 'stall' }
  | { readonly kind: 'delay'; readonly byMs: number }
  /** Null removes a field. */
  | { readonly kind: 'alter'; readonly body: JsonObject }

/** An error of a service. `error` is that of OAuth, for Entra's login service. */
export interface FaultError {
  readonly code?: number | string
  readonly error?: string
  readonly message?: string
}

/** A change to what a service does with some requests. */
export interface Fault {
  readonly match: FaultMatch
  /** How many matching requests to skip first. Default 0. */
  readonly skip?: number
  /** How many requests to apply to, or null for all. Default 1. */
  readonly times?: number | null
  /** Whether the operation still runs if the answer replaces the real one. Default false. */
  readonly commit?: boolean
  readonly answer: FaultAnswer
}

function matches(match: FaultMatch, service: string, { instance, method, path }: Matched): boolean {
  return (
    match.service === service &&
    (match.instance ?? instance) === instance &&
    (match.method?.toUpperCase() ?? method) === method &&
    (match.path === undefined || new RegExp(match.path).test(path))
  )
}

type Matched = Pick<RequestHead, 'method' | 'path'> & { readonly instance: number }

/** The active faults and their counters. */
export class Faults {
  #waiting: { fault: Fault; skip: number; times: number }[] = []

  /** Replaces all faults. @param service the default of `match.service` */
  replace(faults: readonly Fault[], service: string): void {
    this.#waiting = faults.map(fault => ({
      fault: { ...fault, match: { service, ...fault.match } },
      skip: fault.skip ?? 0,
      times: fault.times === undefined ? 1 : (fault.times ?? Number.POSITIVE_INFINITY),
    }))
  }

  /**
   * Returns the fault to apply to a request: the first that matches and is not used up. A fault that still skips requests
   * counts this one and leaves it to the next fault.
   */
  take(service: string, request: Matched): Fault | null {
    for (const waiting of this.#waiting) {
      if (waiting.times === 0 || !matches(waiting.fault.match, service, request)) continue
      if (waiting.skip > 0) {
        waiting.skip -= 1
        continue
      }
      waiting.times -= 1
      return waiting.fault
    }
    return null
  }
}
