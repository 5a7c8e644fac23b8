import { isWithin } from './names.ts'
import type { DnsRecord } from './records/record.ts'
import { ZoneRecords } from './records/zone-records.ts'
import type { Token } from './tokens/token.ts'

/** A zone of the account. */
export interface Zone {
  readonly id: string
  /** In lower case and Punycode. */
  readonly name: string
  readonly status: string
  readonly nameServers: readonly string[]
  /** In RFC 3339. */
  readonly createdOn: string
}

/** The contents of a store as plain values. */
export interface StoreContents {
  readonly zones: readonly Zone[]
  /** By zone id. */
  readonly records: Readonly<Record<string, readonly DnsRecord[]>>
  readonly tokens: readonly Token[]
}

/** The zones, records and tokens behind the API and the name servers, kept in memory. */
export class Store {
  #zones = new Map<string, Zone>()
  #records = new Map<string, ZoneRecords>()
  #tokens = new Map<string, Token>()
  #revision = 1

  zones(): Zone[] {
    return [...this.#zones.values()]
  }

  zone(id: string): Zone | null {
    return this.#zones.get(id) ?? null
  }

  /** Returns the most specific zone that contains a lower-case name. */
  zoneOf(name: string): Zone | null {
    return (
      this.zones()
        .filter(zone => isWithin(name, zone.name))
        .sort((one, other) => other.name.length - one.name.length)[0] ?? null
    )
  }

  /** Returns the records of a zone for reading. To change them, use `put` and `remove`. */
  records(zone: Zone): ZoneRecords {
    return this.#records.get(zone.id) ?? new ZoneRecords()
  }

  put(zone: Zone, record: DnsRecord): void {
    this.#records.get(zone.id)?.set(record.id, record)
    this.#revision += 1
  }

  remove(zone: Zone, id: string): void {
    this.#records.get(zone.id)?.delete(id)
    this.#revision += 1
  }

  /** Returns a number that increases with every change, used as the serial number of the SOA. */
  revision(): number {
    return this.#revision
  }

  tokens(): Token[] {
    return [...this.#tokens.values()]
  }

  token(id: string): Token | null {
    return this.tokens().find(token => token.id === id) ?? null
  }

  /** Adds a token, or replaces the one with the same id, whose value then stops working. */
  putToken(token: Token): void {
    this.removeToken(token.id)
    this.#tokens.set(token.value, token)
  }

  removeToken(id: string): void {
    const token = this.token(id)
    if (token) this.#tokens.delete(token.value)
  }

  tokenByValue(value: string): Token | null {
    return this.#tokens.get(value) ?? null
  }

  contents(): StoreContents {
    const records = this.zones().map(zone => [zone.id, this.records(zone).all()] as const)
    return { zones: this.zones(), records: Object.fromEntries(records), tokens: this.tokens() }
  }

  /** Replaces the given parts. Keeps the records of other zones, and drops those of removed zones. */
  replace(change: Partial<StoreContents>): void {
    const current = this.contents()
    const zones = change.zones ?? current.zones
    const records = { ...current.records, ...change.records }
    if (change.tokens) this.#tokens = new Map(change.tokens.map(token => [token.value, token]))
    this.#zones = new Map(zones.map(zone => [zone.id, zone]))
    const recordsOf = ({ id }: Zone) => new ZoneRecords(records[id]?.map(record => [record.id, record]))
    this.#records = new Map(zones.map(zone => [zone.id, recordsOf(zone)]))
    this.#revision += 1
  }
}
