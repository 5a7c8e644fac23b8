import type { Settings } from './settings/settings.ts'

/** Seconds, as the service recommends for an address that changes. */
export const recordTtl = 120

/** Fields with another owner: the holder of the token changes the content, and people write the comment and the tags. */
export const ownedByOthers = ['content', 'comment', 'tags'] as const

/** Returns what the program declares of the record. */
export function recordArguments({ zoneId, hostname, bootstrapAddress }: Settings) {
  return { zoneId, name: hostname, type: 'A', content: bootstrapAddress, ttl: recordTtl, proxied: false }
}
