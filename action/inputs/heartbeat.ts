import type { Reader } from './reader.ts'
import { maxSecretBytes } from './secret-file.ts'
import { hasCredentials, parseSafeUrl } from './url.ts'

/** Reads `heartbeat-url`, or null. A problem never shows the URL: anyone who has it can report that all is well. */
export function readHeartbeat(read: Reader): string | null {
  const text = read.text('heartbeat-url')
  if (text === '') return null
  const url = parseSafeUrl(text)
  if (!url || hasCredentials(url) || text.length > maxSecretBytes) {
    read.addProblem(
      'heartbeat-url',
      'must be an https URL of at most 8 KiB without a user name or password (http only on loopback).',
    )
  }
  return url?.href ?? null
}
