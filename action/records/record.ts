import type { RecordType } from '../../lib/record-type.ts'

/** One hostname to update, and its zone. */
export interface Target {
  /** Canonical: lower case, Punycode, no trailing dot. */
  readonly hostname: string
  /** Null while the zone is not found yet. */
  readonly zoneId: string | null
}

/** A hostname whose zone is known. */
export interface ZonedTarget extends Target {
  readonly zoneId: string
}

/** A DNS record as Cloudflare lists it, reduced to what a decision or a replacement needs. */
export interface DnsRecord {
  readonly id: string
  readonly type: string
  /** Canonical, as a target's hostname is. */
  readonly name: string
  readonly content: string
  /** Seconds; 1 means automatic. */
  readonly ttl: number
  readonly proxied: boolean
  readonly comment: string | null
  readonly tags: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
  /** Null if Cloudflare does not return it, such as for accounts without private networks. */
  readonly privateRouting: boolean | null
  readonly readOnly: boolean
  /** The NS records that hide it, by id, as far as Cloudflare says. */
  readonly hiddenBy: readonly string[]
}

/** How to keep records, whatever their address. */
export interface RecordRules {
  /** Seconds; 1 means automatic. Null keeps the record's own. */
  readonly ttl: number | null
  /** Null keeps the record's own, and creates one that is not proxied. */
  readonly proxied: boolean | null
  readonly onDrift: 'warn' | 'repair'
  readonly create: boolean
}

/** The record as it should be, and what the run may do about it. */
export interface Wanted extends RecordRules {
  readonly hostname: string
  readonly type: RecordType
  readonly address: string
}

/** The body of a write: the five fields that Cloudflare requires, and what a replacement must carry over. */
export interface RecordBody {
  readonly type: RecordType
  readonly name: string
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
  readonly comment?: string
  readonly tags?: readonly string[]
  readonly settings?: Readonly<Record<string, unknown>>
  readonly private_routing?: boolean
}

/** A setting of the record that is not as wanted. The run leaves it alone, or its write changes it. */
export interface Drift {
  readonly field: 'ttl' | 'proxied'
  readonly found: number | boolean
  readonly wanted: number | boolean
}

/** A field that is not as it was sent. `found` is remote text: quote it before printing. */
export interface Difference {
  readonly field: string
  readonly found: string
  readonly sent: string
}

/** What a list contains at a name: its one record of a type, or why there is not one. */
export type RecordLookup =
  | { readonly kind: 'one'; readonly record: DnsRecord }
  /** `types` are those of other records at the name. */
  | { readonly kind: 'none'; readonly types: readonly string[] }
  | { readonly kind: 'several'; readonly records: readonly DnsRecord[] }
  | { readonly kind: 'cname' }

/**
 * Opens Cloudflare's form for a token that can edit DNS records. The form has every zone selected: the link cannot select one
 * (Cloudflare fundamentals: API token template URLs).
 */
export const tokenLink =
  'https://dash.cloudflare.com/profile/api-tokens?permissionGroupKeys=%5B%7B%22key%22%3A%22dns%22%2C%22type%22%3A%22edit%22%7D%5D&accountId=%2A&zoneId=all&name=homeport'
