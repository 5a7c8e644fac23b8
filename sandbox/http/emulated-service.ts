import type { HttpAnswer } from './delivery.ts'
import type { Exchange, RequestHead } from './exchange.ts'
import type { JsonObject } from './validation.ts'

/** What a fault answer does. */
export interface FaultAnswerAction {
  /** Returns the answer that replaces the real one. If undefined, the real answer is altered instead. */
  replace?(exchange: Exchange): HttpAnswer
  /** Converts the real answer to the one to send. */
  alter?(real: HttpAnswer, exchange: Exchange): HttpAnswer
}

/** Changes a service for a request. Does nothing if there is nothing to change. */
export type FaultEffectAction = (exchange: Exchange) => void

/** What each kind of fault answer does with its fields, and each kind of effect. */
export type FaultAnswers = Readonly<Record<string, (fields: never) => FaultAnswerAction>>
export type FaultEffects = Readonly<Record<string, FaultEffectAction>>

/** The credentials of a service that the journal must not show. */
export interface Redaction {
  /** Finds the id of the known token in an Authorization header, or null. */
  tokenIdOf?(authorization: string | undefined): string | null
  /** Replaces every secret value of the service in a text. */
  redact?(text: string): string
  /** Fields of queries and forms whose values are credentials. */
  readonly fields?: readonly string[]
  /** Whether bodies and the values of queries are left out. */
  readonly confidential?: true
}

/** The part of `/state` that a service owns. */
export interface ServiceState {
  /** The top-level keys of its part. */
  readonly keys: readonly string[]
  read(): JsonObject
  /** Replaces the given parts. Keys that `change` lacks keep their value. */
  replace(change: JsonObject): void
}

/**
 * Handles a request to the control interface and returns the JSON body of the response. Undefined becomes `{"ok":true}`.
 * @throws ValidationError
 */
type ControlOperation = (body: unknown) => unknown

/** Operations by path and method. */
export type ControlOperations = Readonly<Record<string, Readonly<Record<string, ControlOperation>>>>

/** An emulated service, as the server and the control interface see it. */
export interface Service {
  /** The name in the journal and in faults. */
  readonly name: string
  /** The number of instances. If undefined, there is one, without a number. */
  readonly instances?: number
  /** Set if the journal and faults ignore the service, because it emulates nothing. */
  readonly unrecorded?: true
  /** Returns the instance that a request to the shared ports is for, if any. The first service gets unclaimed requests. */
  claim?(head: RequestHead): number | null
  answer(exchange: Exchange): HttpAnswer | Promise<HttpAnswer>
  /** Answers without changing anything. If undefined, the service is not called when a fault replaces its answer. */
  dryRun?(exchange: Exchange): HttpAnswer | Promise<HttpAnswer>
  readonly redaction?: Redaction
  /** The fault answers that only this service has, or that it overrides. */
  readonly faultAnswers?: FaultAnswers
  /** The fault effects on this service, which faults of any service can use. */
  readonly faultEffects?: FaultEffects
  readonly state?: ServiceState
  /** The operations of the control interface for this service, besides state, faults and journal. */
  readonly operations?: ControlOperations
}
