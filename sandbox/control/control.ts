import { formatInstant } from '../http/clock.ts'
import type { ServerContext } from '../http/context.ts'
import { type Fault, readFaults } from '../http/faults.ts'
import type { JournalEntry } from '../http/journal.ts'
import type { Operations } from '../http/service.ts'
import { type JsonObject, readInstant, readInteger, readObject, ValidationError } from '../http/validation.ts'

const maxAdvanceMs = 100 * 365 * 24 * 3600 * 1000

/** A change of the clock: to a time in ISO 8601, or by a number of milliseconds. */
export type ClockChange = { readonly now: string } | { readonly advanceMs: number }

/** The control interface over all services. */
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

  /**
   * Replaces all faults.
   * @throws ValidationError if one is invalid; then nothing changes
   */
  setFaults(faults: readonly Fault[]): void {
    this.#setFaults(faults)
  }

  /**
   * Sets the clock and returns its time.
   * @throws ValidationError
   */
  setClock(change: ClockChange): string {
    return this.#setClock(change)
  }

  /** Returns the state of every service. */
  state(): JsonObject {
    const { services, faults } = this.#context
    return Object.assign({}, ...services.map(({ state }) => state?.read()), { faults: faults.remaining() })
  }

  /**
   * Replaces the given parts of the state.
   * @throws ValidationError if one is invalid; then nothing changes
   */
  setState(change: JsonObject): void {
    this.#setState(change)
  }

  /** Returns the operations of the HTTP interface by path and method. */
  operations(): Operations {
    const { services, journal } = this.#context
    const done = { ok: true }
    return {
      '/journal': {
        GET: () => ({ entries: journal.entries() }),
        DELETE: () => {
          journal.empty()
          return done
        },
      },
      '/faults': {
        PUT: body => {
          this.#setFaults(readObject(body, 'The body', ['faults'])['faults'])
          return done
        },
      },
      '/clock': { PUT: body => ({ now: this.#setClock(body) }) },
      '/state': {
        GET: () => this.state(),
        PUT: body => {
          this.#setState(body)
          return done
        },
      },
      ...Object.assign({}, ...services.map(({ operations }) => operations)),
    }
  }

  #setFaults(value: unknown): void {
    this.#context.faults.replace(readFaults(value, this.#context.services))
  }

  #setClock(value: unknown): string {
    const { clock } = this.#context
    const { now, advanceMs } = readObject(value, 'The body', ['now', 'advanceMs'])
    if ((now === undefined) === (advanceMs === undefined)) {
      throw new ValidationError(
        'The body must have either "now" (a date and time) or "advanceMs" (milliseconds).',
      )
    }
    if (now !== undefined) clock.set(readInstant(now, 'now'))
    else clock.advance(readInteger(advanceMs, 'advanceMs', -maxAdvanceMs, maxAdvanceMs))
    return formatInstant(clock.now())
  }

  #setState(value: unknown): void {
    const { services, faults } = this.#context
    const parts = services.flatMap(({ state }) => state ?? [])
    const body = readObject(value, 'The body', [...parts.flatMap(({ keys }) => keys), 'faults'])
    const changes = parts.map(part => part.prepare(body))
    const newFaults = body['faults'] === undefined ? undefined : readFaults(body['faults'], services)
    // Applied only after everything is validated, so that an invalid request changes nothing.
    for (const change of changes) change()
    if (newFaults) faults.replace(newFaults)
  }
}
