import { isWithin } from '../names.ts'
import type { DnsRecord } from './record.ts'

/** The records of one zone, oldest first. */
export class ZoneRecords {
  readonly #byId = new Map<string, DnsRecord>()

  constructor(records: readonly DnsRecord[] = []) {
    for (const record of records) this.put(record)
  }

  /** Returns all records, oldest first. */
  all(): DnsRecord[] {
    return [...this.#byId.values()]
  }

  get(id: string): DnsRecord | null {
    return this.#byId.get(id) ?? null
  }

  /** Returns the records of a name, ignoring case. */
  named(name: string): DnsRecord[] {
    const wanted = name.toLowerCase()
    return this.all().filter(record => record.name.toLowerCase() === wanted)
  }

  /** Whether there are records at a lower-case name or below it. All of these names exist in DNS (RFC 8020). */
  hasNode(name: string): boolean {
    return this.all().some(record => isWithin(record.name.toLowerCase(), name))
  }

  /** Adds a record, or replaces the one with the same id without changing the order. */
  put(record: DnsRecord): void {
    this.#byId.set(record.id, record)
  }

  remove(id: string): void {
    this.#byId.delete(id)
  }
}
