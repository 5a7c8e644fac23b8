import type { ServerContext } from './http/context.ts'
import type { Fault } from './http/faults.ts'
import type { JournalEntry } from './http/journal.ts'
import { type JsonObject, ValidationError } from './http/validation.ts'

/** A change of the clock: to a time in ISO 8601, or by a number of milliseconds. */
type ClockChange = { readonly now: string } | { readonly advanceMs: number }

/** What tests read and change behind the services. */
export class Control {
  readonly #context: ServerContext

  constructor(context: ServerContext) {
    this.#context = context
  }

  /** Returns the requests that arrived, oldest first. */
  journal(): readonly JournalEntry[] {
    return this.#context.journal.entries()
  }

  clearJournal(): void {
    this.#context.journal.empty()
  }

  /** Replaces all faults. The first service is the default of their `match.service`. */
  setFaults(faults: readonly Fault[]): void {
    this.#context.faults.replace(faults, this.#context.services[0]?.name ?? '')
  }

  setClock(change: ClockChange): void {
    const { clock } = this.#context
    clock.set('now' in change ? Date.parse(change.now) : clock.now() + change.advanceMs)
  }

  /** Returns the state of every service. */
  state(): JsonObject {
    return Object.assign({}, ...this.#context.services.map(({ state }) => state?.read()))
  }

  /** Replaces the given parts of the state. @throws ValidationError if no service has a part, such as a misspelt one */
  setState(change: JsonObject): void {
    const parts = this.#context.services.flatMap(({ state }) => state ?? [])
    const keys = parts.flatMap(part => part.keys)
    const unknown = Object.keys(change).find(key => !keys.includes(key))
    if (unknown) throw new ValidationError(`There is no state "${unknown}". There are ${keys.join(', ')}.`)
    for (const part of parts) part.replace(change)
  }
}
