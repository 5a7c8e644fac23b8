import { isWithin } from './names.ts'
import type { DnsRecord } from './records/record.ts'
import { ZoneRecords } from './records/zone-records.ts'
import type { Token } from './tokens/token.ts'

export type Zone = {
  readonly id: string
  /** Lower case, Punycode. */
  readonly name: string
  readonly status: string
  readonly nameServers: readonly string[]
  /** RFC 3339 */
  readonly createdOn: string
}

/** Everything in a store, as plain values. */
export type Contents = {
  readonly zones: readonly Zone[]
  /** By the zone's id. */
  readonly records: Readonly<Record<string, readonly DnsRecord[]>>
  readonly tokens: readonly Token[]
}

/** The zones, records and tokens that the API writes and the name server serves. In memory only. */
export class Store {
  #zones = new Map<string, Zone>()
  #records = new Map<string, ZoneRecords>()
  #tokens = new Map<string, Token>()
  #revision = 1

  zones(): Zone[] {
    return [...this.#zones.values()]
  }

  zone(id: string): Zone | undefined {
    return this.#zones.get(id)
  }

  /** The zone that a name (lower case) belongs to: of several the most specific. */
  zoneOf(name: string): Zone | undefined {
    return this.zones()
      .filter(zone => isWithin(name, zone.name))
      .sort((one, other) => other.name.length - one.name.length)[0]
  }

  /** To be read; changes go through `put` and `remove`. */
  records(zone: Zone): ZoneRecords {
    return this.#records.get(zone.id) ?? new ZoneRecords(zone.name)
  }

  put(zone: Zone, record: DnsRecord): void {
    this.#records.get(zone.id)?.put(record)
    this.#revision += 1
  }

  remove(zone: Zone, id: string): void {
    this.#records.get(zone.id)?.remove(id)
    this.#revision += 1
  }

  /** Counts up with every change; the name server's serial number. */
  revision(): number {
    return this.#revision
  }

  tokens(): Token[] {
    return [...this.#tokens.values()]
  }

  token(id: string): Token | undefined {
    return this.tokens().find(token => token.id === id)
  }

  /** Adds a token, or replaces the one of the same id: its old value is worth nothing then. */
  putToken(token: Token): void {
    this.removeToken(token.id)
    this.#tokens.set(token.value, token)
  }

  removeToken(id: string): void {
    const token = this.token(id)
    if (token) this.#tokens.delete(token.value)
  }

  tokenByValue(value: string): Token | undefined {
    return this.#tokens.get(value)
  }

  contents(): Contents {
    const records = this.zones().map(zone => [zone.id, this.records(zone).all()] as const)
    return { zones: this.zones(), records: Object.fromEntries(records), tokens: this.tokens() }
  }

  /** Replaces what is named. Records of a zone that is not named stay, those of a zone that goes are gone. */
  replace(change: Partial<Contents>): void {
    const present = this.contents()
    const zones = change.zones ?? present.zones
    const records = { ...present.records, ...change.records }
    if (change.tokens) this.#tokens = new Map(change.tokens.map(token => [token.value, token]))
    this.#zones = new Map(zones.map(zone => [zone.id, zone]))
    this.#records = new Map(zones.map(zone => [zone.id, new ZoneRecords(zone.name, records[zone.id])]))
    this.#revision += 1
  }

  /** Does something to the records of a zone; when that ends in a refusal, they are as they were. */
  transaction<T extends { readonly ok: boolean }>(zone: Zone, act: () => T): T {
    const before = this.records(zone).all()
    const outcome = act()
    if (!outcome.ok) this.replace({ records: { [zone.id]: before } })
    return outcome
  }

  /** Does something, and undoes whatever it changed here. */
  dryRun<T>(act: () => T): T {
    const before = this.contents()
    try {
      return act()
    } finally {
      this.replace(before)
    }
  }
}
