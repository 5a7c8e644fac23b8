import type { HttpAnswer } from './delivery.ts'
import type { Exchange, RequestHead } from './exchange.ts'
import type { FaultError } from './faults.ts'
import type { JsonObject } from './validation.ts'

/** The part of the sandbox's state that a service owns. */
export interface ServiceState {
  /** The top-level keys of its part. */
  readonly keys: readonly string[]
  read(): JsonObject
  /** Replaces the given parts. Keys that `change` lacks keep their value. */
  replace(change: JsonObject): void
}

/** An emulated service, as the server and the tests see it. */
export interface Service {
  /** The name in the journal and in faults. */
  readonly name: string
  /** Returns the instance that a request to the shared ports is for, if any. The first service gets unclaimed requests. */
  claim?(head: RequestHead): number | null
  answer(exchange: Exchange): HttpAnswer | Promise<HttpAnswer>
  /** Returns errors in the form of the service, for a fault. */
  errorAnswer?(exchange: Exchange, errors: readonly FaultError[], status: number | undefined): HttpAnswer
  readonly state?: ServiceState
}
