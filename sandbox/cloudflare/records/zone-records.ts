import { isWithin } from '../names.ts'
import type { DnsRecord } from './record.ts'

/** The records of one zone by id, oldest first. A record that is set again keeps its place. */
export class ZoneRecords extends Map<string, DnsRecord> {
  /** Returns all records, oldest first. */
  all(): DnsRecord[] {
    return [...this.values()]
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
}
