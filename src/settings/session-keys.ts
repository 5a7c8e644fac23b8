import type { FullReading, Reading } from '../../lib/reading.ts'
import { decodeBase64url } from './base64url.ts'

/** A key that encrypts cookies. Its name prefixes everything it encrypts. */
export interface SessionKey {
  readonly kid: string
  /** 32 bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Length of a key in bytes. */
export const sessionKeyBytes = 32

/** A key with fewer distinct bytes was typed, not generated. */
const minDistinctBytes = 8

/** Splits a list of keys at commas and line ends, so that a key can be appended to a file. */
export function splitSessionKeys(text: string): readonly string[] {
  return text.split(/,|\r?\n/).map(part => part.trim())
}

/**
 * Reads `name:base64url of 32 bytes`, separated by commas or line ends. The first key encrypts, all decrypt. Problems name a key by its
 * position, never by its content.
 * @param advice a sentence for the end of each problem
 */
export function readSessionKeys(text: string, advice = ''): FullReading<readonly SessionKey[]> {
  const keys: SessionKey[] = []
  const problems: string[] = []
  for (const [index, part] of splitSessionKeys(text).entries()) {
    const reading = readKey(part, keys)
    if ('value' in reading) keys.push(reading.value)
    else problems.push(`has key ${index + 1}, ${reading.problem}.${advice}`)
  }
  return problems.length > 0 ? { problems } : { value: keys }
}

function readKey(text: string, earlier: readonly SessionKey[]): Reading<SessionKey> {
  const [, kid = '', encoded = ''] = /^([A-Za-z0-9_-]{1,16}):([^:]+)$/.exec(text) ?? []
  if (encoded === '')
    return { problem: 'which is not in the form name:key, with a name of 1 to 16 letters, digits, - or _' }
  const bytes = decodeBase64url(encoded)
  if (!bytes) return { problem: 'which is not base64url' }
  if (bytes.length !== sessionKeyBytes) return { problem: 'which is not 32 bytes long' }
  if (new Set(bytes).size < minDistinctBytes) return { problem: 'which is not random' }
  if (earlier.some(key => key.kid === kid)) return { problem: 'whose name is used twice' }
  return { value: { kid, bytes } }
}
