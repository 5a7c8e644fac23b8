import { formatInstant } from '../http/clock.ts'
import type { ServerContext } from '../http/context.ts'
import type { ControlOperations } from '../http/emulated-service.ts'
import { type Fault, readFaults } from '../http/faults.ts'
import type { JournalEntry } from '../http/journal.ts'
import {
  integer,
  isInstant,
  type JsonObject,
  optional,
  readFields,
  readInstant,
  readObject,
  ValidationError,
  wholeBody,
} from '../http/validation.ts'

const maxAdvanceMs = 100 * 365 * 24 * 3600 * 1000
const clockFields = { now: optional(readInstant), advanceMs: optional(integer(-maxAdvanceMs, maxAdvanceMs)) }

/** A change of the clock: to a time in ISO 8601, or by a number of milliseconds. */
type ClockChange = { readonly now: string } | { readonly advanceMs: number }

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
    this.#context.faults.replace(readFaults(faults, this.#context.services))
  }

  /**
   * Sets the clock and returns its time.
   * @throws ValidationError
   */
  setClock(change: ClockChange): string {
    const { clock } = this.#context
    const { now, advanceMs } = readFields(change, wholeBody, clockFields)
    if ((now === undefined) === (advanceMs === undefined)) {
      throw new ValidationError(
        'The body must have either "now" (a date and time) or "advanceMs" (milliseconds).',
      )
    }
    const time = now ?? clock.now() + (advanceMs ?? 0)
    if (!isInstant(time))
      throw new ValidationError('advanceMs must keep the clock in the years 1970 to 9999.')
    clock.set(time)
    return formatInstant(clock.now())
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
    const { services, faults } = this.#context
    const parts = services.flatMap(({ state }) => state ?? [])
    const body = readObject(change, wholeBody, [...parts.flatMap(({ keys }) => keys), 'faults'])
    const changes = parts.map(part => part.prepare(body))
    const newFaults = body['faults'] === undefined ? undefined : readFaults(body['faults'], services)
    // Applied only after everything is validated, so that an invalid request changes nothing.
    for (const apply of changes) apply()
    if (newFaults) faults.replace(newFaults)
  }

  /** Returns the operations of the HTTP interface by path and method. They validate every body. */
  operations(): ControlOperations {
    const services = this.#context.services.map(({ operations }) => operations)
    return {
      '/journal': {
        GET: () => ({ entries: this.journal() }),
        DELETE: () => this.clearJournal(),
      },
      '/faults': {
        PUT: body => this.setFaults(readObject(body, wholeBody, ['faults'])['faults'] as readonly Fault[]),
      },
      '/clock': { PUT: body => ({ now: this.setClock(body as ClockChange) }) },
      '/state': { GET: () => this.state(), PUT: body => this.setState(body as JsonObject) },
      ...Object.assign({}, ...services),
    }
  }
}
