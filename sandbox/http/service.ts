import type { HttpAnswer } from './delivery.ts'
import type { Exchange, RequestHead } from './exchange.ts'
import type { Area } from './ledger.ts'
import type { JsonObject } from './validation.ts'

/** What one kind of fault answer does, with the fields that `GET /state` shows of it. */
export interface FaultAnswerAction {
  readonly fields: JsonObject
  /** Makes the answer that takes the place of the real one. Undefined: the real one is altered instead. */
  replace?(exchange: Exchange): HttpAnswer
  /** Makes the answer to send from the real one. */
  alter?(real: HttpAnswer, exchange: Exchange): HttpAnswer
}

/** What one kind of fault effect does, with the fields that `GET /state` shows of it. */
export interface FaultEffectAction {
  readonly fields: JsonObject
  /** Changes the service. Does nothing if there is nothing to change. */
  apply(exchange: Exchange): void
}

/** Reads the fields of one kind of fault. @throws ValidationError */
type Reader<Action> = (value: JsonObject, where: string) => Action
export type FaultAnswerReaders = Readonly<Record<string, Reader<FaultAnswerAction>>>
export type FaultEffectReaders = Readonly<Record<string, Reader<FaultEffectAction>>>

/** What a service hides from the journal. */
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
  /**
   * Checks what is to replace the present state and returns the function that does so. Keys that `body` lacks stay.
   * @throws ValidationError
   */
  prepare(body: JsonObject): () => void
}

/** Carries out a request to `control`; what it returns is the JSON body of the answer. @throws ValidationError */
export type Operation = (body: unknown) => JsonObject

/** Operations by path and method. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** An emulated service: everything that the server and `control` need to know of it. */
export interface Service {
  /** As the journal and the faults call it. */
  readonly name: string
  /** How many of it there are. Undefined: one, which has no number. */
  readonly instances?: number
  /** Whether the journal and the faults pass it by: it is for people, and emulates nothing. */
  readonly unrecorded?: true
  /** Which instance a request to the shared ports is for, if any. The first service registered gets what nobody claims. */
  claim?(head: RequestHead): number | undefined
  answer(exchange: Exchange): HttpAnswer | Promise<HttpAnswer>
  /** Answers without changing anything. A service without this is not called when a fault replaces its answer. */
  dryRun?(exchange: Exchange): HttpAnswer | Promise<HttpAnswer>
  readonly redaction?: Redaction
  /** Kinds of fault answer that only this service has, or that it understands in its own way. */
  readonly faultAnswers?: FaultAnswerReaders
  /** Kinds of effect that this service has, for faults of any service. */
  readonly faultEffects?: FaultEffectReaders
  readonly state?: ServiceState
  /** What `control` offers for this service beside state, faults and journal. */
  readonly operations?: Operations
  /** The behaviours that its answers rely on, with their sources. */
  readonly ledger?: readonly Area[]
}
