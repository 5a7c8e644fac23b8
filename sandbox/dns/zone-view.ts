/** A record as the name servers need it. */
export interface ServedRecord {
  readonly name: string
  readonly type: string
  readonly content: string
  /** In seconds; 1 means automatic. */
  readonly ttl: number
  readonly proxied: boolean
  /** Whether records of its type can be proxied. */
  readonly proxiable: boolean
}

/** A zone as the name servers need it. Names are in lower case. */
export interface ServedZone {
  readonly name: string
  readonly nameServers: readonly string[]
  /** Increases with every change. */
  readonly serial: number
  /** Returns the records of a name. */
  named(name: string): readonly ServedRecord[]
  /** Whether there are records at a name or below it. */
  hasNode(name: string): boolean
  /** Whether a name is the apex or below it. */
  contains(name: string): boolean
}

/** The zones that a name server serves at one time. */
export interface ZoneView {
  /** Returns the most specific zone that a name belongs to. */
  zoneOf(name: string): ServedZone | null
}
