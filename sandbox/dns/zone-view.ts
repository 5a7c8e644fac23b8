/** A record as the name servers need it. */
export interface ServedRecord {
  readonly name: string
  readonly type: string
  readonly content: string
  /** Seconds; 1 is automatic. */
  readonly ttl: number
  readonly proxied: boolean
  /** Whether the proxy can stand in front of its type. */
  readonly proxiable: boolean
  readonly priority?: number
  /** The parts of the content, for types that are written by them. */
  readonly data?: Readonly<Record<string, string | number>>
}

/** A zone as the name servers need it. Names are in lower case. */
export interface ServedZone {
  readonly name: string
  readonly nameServers: readonly string[]
  /** Grows with every change. */
  readonly serial: number
  /** Returns the records of a name. */
  named(name: string): readonly ServedRecord[]
  /** Whether a name exists: it or a name below it has records. */
  hasNode(name: string): boolean
  /** Whether a name is the zone's own or below it. */
  contains(name: string): boolean
}

/** The zones that a name server has at one time. */
export interface ZoneView {
  /** Whether it is older than what the zones' owner has. */
  readonly late: boolean
  /** Returns the most specific zone that a name belongs to. */
  zoneOf(name: string): ServedZone | undefined
}
