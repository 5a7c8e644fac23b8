import type { Clock } from './clock.ts'

/** One request that reached the sandbox, as `GET /journal` of `control` shows it. */
export interface JournalEntry {
  /** Counts up from 1 in the order of arrival, and goes on counting when the journal is emptied. */
  readonly n: number
  /** ISO 8601, by the sandbox's clock. */
  readonly at: string
  readonly service: string
  /** Which instance of the service, from 0, if it has several. */
  readonly instance?: number
  /** For a DNS query its type. */
  readonly method: string
  /** Without the query string. For a DNS query the name, as it was asked. */
  readonly path: string
  /** The raw query string. For a DNS query `udp` or `tcp`. */
  readonly query: string
  /** Names in lower case, credentials redacted. */
  readonly headers: Readonly<Record<string, string>>
  /** The known token that the request carried. */
  readonly tokenId: string | null
  body: string | null
  /** What was sent; null when the connection ended before a status line. For a DNS query the name of the rcode. */
  status: number | string | null
  /** The kind of the fault that met the request. */
  fault: string | null
  /** The ledger entries that the answer relies on. */
  readonly ledger: string[]
}

/** What is known about a request when it arrives. */
export type Arrival = Pick<
  JournalEntry,
  'service' | 'instance' | 'method' | 'path' | 'query' | 'headers' | 'tokenId'
>

const maxEntries = 10_000
/** Of all paths, headers, queries and bodies together. */
const maxCharacters = 16 * 1024 * 1024

const sizeOf = ({ path, query, headers, body }: JournalEntry): number =>
  path.length +
  query.length +
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0) +
  (body?.length ?? 0)

/**
 * What the services were asked, oldest first. Beyond 10 000 entries, or 16 million characters in them, the oldest are
 * forgotten.
 */
export class Journal {
  readonly #clock: Clock
  #entries: JournalEntry[] = []
  #count = 0
  #size = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Adds an entry; the caller completes its status, fault and ledger as they become known. */
  open(arrival: Arrival): JournalEntry {
    this.#count += 1
    const at = new Date(this.#clock.now()).toISOString()
    const entry: JournalEntry = {
      n: this.#count,
      at,
      ...arrival,
      body: null,
      status: null,
      fault: null,
      ledger: [],
    }
    this.#entries.push(entry)
    this.#size += sizeOf(entry)
    this.#forget()
    return entry
  }

  /** Completes an entry's body, as it became known or as it is to be shown. */
  keepBody(entry: JournalEntry, body: string): void {
    this.#size += body.length - (entry.body?.length ?? 0)
    entry.body = body
    this.#forget()
  }

  entries(): readonly JournalEntry[] {
    return this.#entries
  }

  empty(): void {
    this.#entries = []
    this.#size = 0
  }

  #forget(): void {
    while (this.#entries.length > maxEntries || this.#size > maxCharacters) {
      const oldest = this.#entries.shift()
      if (oldest === undefined) break
      this.#size -= sizeOf(oldest)
    }
  }
}

/** Notes that an entry's answer rests on a behaviour of the ledger; each is listed once. */
export function cite(entry: JournalEntry, id: string): void {
  if (!entry.ledger.includes(id)) entry.ledger.push(id)
}
