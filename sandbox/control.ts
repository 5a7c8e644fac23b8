import { formatInstant } from './http/clock.ts'
import type { ServerContext } from './http/context.ts'
import type { Fault } from './http/faults.ts'
import type { JournalEntry } from './http/journal.ts'
import { isInstant, type JsonObject, ValidationError } from './http/validation.ts'

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

  /**
   * Sets the clock and returns its time.
   * @throws ValidationError
   */
  setClock(change: ClockChange): string {
    const { clock } = this.#context
    const time = 'now' in change ? Date.parse(change.now) : clock.now() + change.advanceMs
    if (!isInstant(time)) throw new ValidationError('The clock must stay in the years 1970 to 9999.')
    clock.set(time)
    return formatInstant(clock.now())
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
