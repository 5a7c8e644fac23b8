import { formatInstant } from '../http/clock.ts'
import type { ServerContext } from '../http/context.ts'
import { type Fault, readFaults } from '../http/faults.ts'
import type { JournalEntry } from '../http/journal.ts'
import type { Operations } from '../http/service.ts'
import { type JsonObject, readInstant, readInteger, readObject, ValidationError } from '../http/validation.ts'

const maxAdvanceMs = 100 * 365 * 24 * 3600 * 1000

/** What the clock is set to: an instant in ISO 8601, or how far to move it, in milliseconds. */
export type ClockChange = { readonly now: string } | { readonly advanceMs: number }

/** Everything that tests may see and change, over all services. */
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

  /** Replaces all faults. @throws ValidationError if one is not valid; nothing has changed then */
  setFaults(faults: readonly Fault[]): void {
    this.#setFaults(faults)
  }

  /** Sets the clock and returns its time. @throws ValidationError */
  setClock(change: ClockChange): string {
    return this.#setClock(change)
  }

  /** Returns the state of every service. */
  state(): JsonObject {
    const { services, faults } = this.#context
    return Object.assign({}, ...services.map(({ state }) => state?.read()), { faults: faults.remaining() })
  }

  /**
   * Replaces the parts of the state that are given.
   * @throws ValidationError if one is not valid; nothing has changed then
   */
  setState(change: JsonObject): void {
    this.#setState(change)
  }

  /** Returns what the HTTP interface offers, by path and method. */
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
      throw new ValidationError('The body must have either "now" (an instant) or "advanceMs" (milliseconds).')
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
    const wanted = body['faults'] === undefined ? undefined : readFaults(body['faults'], services)
    // Nothing changes before everything was read, so that a bad request leaves all as it was.
    for (const change of changes) change()
    if (wanted) faults.replace(wanted)
  }
}
