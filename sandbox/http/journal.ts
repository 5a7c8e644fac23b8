import type { Clock } from './clock.ts'

/** One request that reached the sandbox, as tests see it. */
export interface JournalEntry {
  /** The number of the request, from 1 in order of arrival. Clearing the journal does not reset it. */
  readonly n: number
  /** The time of arrival by the clock of the sandbox, in ISO 8601. */
  readonly at: string
  readonly service: string
  /** The instance of the service, from 0, if it has several. */
  readonly instance?: number
  /** The type, for a DNS query. */
  readonly method: string
  /** The path without the query string, or the name of a DNS query as sent. */
  readonly path: string
  /** The raw query string, or `udp` or `tcp` for a DNS query. */
  readonly query: string
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  body: string | null
  /** The status sent, the rcode of a DNS query, or null if the connection ended before a status line. */
  status: number | string | null
  /** The kind of the fault applied to the request. */
  fault: string | null
}

/** What is known about a request when it arrives. */
type Arrival = Pick<JournalEntry, 'service' | 'instance' | 'method' | 'path' | 'query' | 'headers'>

const maxEntries = 10_000

/** The requests to all services, oldest first. Drops the oldest above 10,000. */
export class Journal {
  readonly #clock: Clock
  #entries: JournalEntry[] = []
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Adds an entry. The caller fills in its body, status and fault later. */
  open(arrival: Arrival): JournalEntry {
    this.#count += 1
    const at = new Date(this.#clock.now()).toISOString()
    const entry: JournalEntry = { n: this.#count, at, ...arrival, body: null, status: null, fault: null }
    this.#entries.push(entry)
    if (this.#entries.length > maxEntries) this.#entries.shift()
    return entry
  }

  entries(): readonly JournalEntry[] {
    return this.#entries
  }

  empty(): void {
    this.#entries = []
  }
}
