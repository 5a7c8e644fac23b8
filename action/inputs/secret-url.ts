import { hasCredentials, parseSafeUrl } from '../../lib/url.ts'
import { maxSecretBytes, type Reader } from './reader.ts'
import type { InputName } from './table.ts'

/** Reads a URL that is a secret, or null. A problem never shows it: anyone who has it can report or say anything there. */
export function readSecretUrl(read: Reader, name: InputName): string | null {
  const text = read.text(name)
  if (text === '') return null
  const url = parseSafeUrl(text)
  if (!url || hasCredentials(url) || text.length > maxSecretBytes) {
    read.addProblem(
      name,
      'must be one https URL of at most 8 KiB without white space, user name or password (http only on loopback).',
    )
  }
  return url?.href ?? null
}
