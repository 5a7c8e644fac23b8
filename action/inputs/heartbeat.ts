import type { Reader } from './reader.ts'
import { hasCredentials, parseSafeUrl } from './url.ts'

/** Reads `heartbeat-url`, or null. A problem never shows the URL: anyone who has it can report that all is well. */
export function readHeartbeat(read: Reader): string | null {
  const text = read.text('heartbeat-url')
  if (text === '') return null
  const url = parseSafeUrl(text)
  if (!url || hasCredentials(url)) {
    read.addProblem(
      'heartbeat-url',
      'must be an https URL without a user name or password (http only on loopback).',
    )
  }
  return url?.href ?? null
}
