import type { RecordType } from '../../lib/record-type.ts'

/** The record's TTL in seconds, as Cloudflare recommends for an address that changes. */
const recordTtl = 120

/** Fields of the record with another owner: the holder of the token changes the content, people the comment and the tags. */
export const ownedByOthers = ['content', 'comment', 'tags'] as const

/** The address of each new record until the first update: documentation (RFC 5737), and discard-only (RFC 6666). */
export const bootstrapAddresses = { A: '192.0.2.1', AAAA: '100::' } as const

/** A record to declare. */
export interface DeclaredRecord {
  readonly name: string
  readonly type: RecordType
}

/** Returns what the program declares for a record. */
export function recordArguments(zoneId: string, { name, type }: DeclaredRecord) {
  return { zoneId, name, type, content: bootstrapAddresses[type], ttl: recordTtl, proxied: false }
}
