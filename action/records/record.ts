/** One hostname to keep, in its canonical form, and the zone that holds it. */
export interface Target {
  readonly hostname: string
  readonly zoneId: string
}

/** A DNS record as the service lists it, reduced to what a decision or a replacement needs. */
export interface DnsRecord {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly content: string
  /** Seconds; 1 means automatic. */
  readonly ttl: number
  readonly proxied: boolean
  readonly comment: string | null
  readonly tags: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly readOnly: boolean
}

/** The record as it should be, and what this run may do about it. */
export interface Wanted {
  /** Canonical: lower case, Punycode, no trailing dot. */
  readonly name: string
  readonly address: string
  /** Seconds. */
  readonly ttl: number
  readonly proxied: boolean
  readonly onDrift: 'warn' | 'repair'
  readonly create: boolean
}

/** The five fields of the contract, always all of them, and what a replacement must carry over. */
export interface RecordBody {
  readonly type: 'A'
  readonly name: string
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
  readonly comment?: string
  readonly tags?: readonly string[]
  readonly settings?: Readonly<Record<string, unknown>>
}

/** A setting of the record that is not as wanted: left as it is, or changed by this run's write. */
export interface Drift {
  readonly field: 'ttl' | 'proxied'
  readonly found: number | boolean
  readonly wanted: number | boolean
}
