/** One request that reached the sandbox, as tests see it. */
export interface JournalEntry {
  readonly service: string
  /** The instance of the service, from 0. */
  readonly instance: number
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
}

/** What is known about a request when it arrives. */
type Arrival = Pick<JournalEntry, 'service' | 'instance' | 'method' | 'path' | 'query' | 'headers'>

/** The requests to all services, oldest first. */
export class Journal {
  #entries: JournalEntry[] = []

  /** Adds an entry. The caller fills in its body and status later. */
  open(arrival: Arrival): JournalEntry {
    const entry: JournalEntry = { ...arrival, body: null, status: null }
    this.#entries.push(entry)
    return entry
  }

  entries(): readonly JournalEntry[] {
    return this.#entries
  }

  empty(): void {
    this.#entries = []
  }
}
