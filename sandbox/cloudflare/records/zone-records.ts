import { isWithin } from '../names.ts'
import type { DnsRecord } from './record.ts'

/** Returns a name and its parents up to the apex. All of them exist in DNS, even without records (RFC 8020). */
function namesUpTo(name: string, zoneName: string): string[] {
  const names = [name]
  for (let at = name; at !== zoneName && isWithin(at, zoneName); ) {
    at = at.slice(at.indexOf('.') + 1)
    names.push(at)
  }
  return names
}

/** The records of one zone, indexed by id, by name and by the names that exist. */
export class ZoneRecords {
  readonly #zoneName: string
  readonly #byId = new Map<string, DnsRecord>()
  /** Lists instead of maps, since most names have one record. */
  readonly #byName = new Map<string, DnsRecord[]>()
  /** The number of records at each name or below it. */
  readonly #nodes = new Map<string, number>()

  constructor(zoneName: string, records: readonly DnsRecord[] = []) {
    this.#zoneName = zoneName
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
    return [...(this.#byName.get(name.toLowerCase()) ?? [])]
  }

  /** Whether there are records at a lower-case name or below it. */
  hasNode(name: string): boolean {
    return this.#nodes.has(name)
  }

  /** Adds a record, or replaces the one with the same id without changing the order. */
  put(record: DnsRecord): void {
    const previous = this.#byId.get(record.id)
    this.#byId.set(record.id, record)
    const name = record.name.toLowerCase()
    const named = this.#byName.get(name)
    const place = previous === undefined ? -1 : (named?.indexOf(previous) ?? -1)
    if (named && place >= 0) {
      named[place] = record
      return
    }
    if (previous) this.#unindex(previous)
    if (named) named.push(record)
    else this.#byName.set(name, [record])
    for (const node of namesUpTo(name, this.#zoneName))
      this.#nodes.set(node, (this.#nodes.get(node) ?? 0) + 1)
  }

  remove(id: string): void {
    const record = this.#byId.get(id)
    if (record === undefined) return
    this.#byId.delete(id)
    this.#unindex(record)
  }

  #unindex(record: DnsRecord): void {
    const name = record.name.toLowerCase()
    const named = this.#byName.get(name)
    const at = named?.indexOf(record) ?? -1
    if (at >= 0) named?.splice(at, 1)
    if (named?.length === 0) this.#byName.delete(name)
    for (const node of namesUpTo(name, this.#zoneName)) {
      const count = (this.#nodes.get(node) ?? 0) - 1
      if (count > 0) this.#nodes.set(node, count)
      else this.#nodes.delete(node)
    }
  }
}
