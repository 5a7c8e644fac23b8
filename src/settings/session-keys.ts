import { decodeBase64url } from './base64url.ts'
import { refuse, type SettingProblem, type SettingProblemCode, type SettingReading } from './problems.ts'

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
 */
export function readSessionKeys(text: string): SettingReading<readonly SessionKey[]> {
  if (text === '') return refuse('missing')
  const keys: SessionKey[] = []
  const problems: SettingProblem[] = []
  for (const [index, part] of splitSessionKeys(text).entries()) {
    const reading = readKey(part, keys)
    if ('value' in reading) keys.push(reading.value)
    else problems.push({ code: reading.problem, found: `key ${index + 1}` })
  }
  return problems.length > 0 ? { problems } : { value: keys }
}

function readKey(
  text: string,
  earlier: readonly SessionKey[],
): { readonly value: SessionKey } | { readonly problem: SettingProblemCode } {
  const [, kid = '', encoded = ''] = /^([A-Za-z0-9_-]{1,16}):([^:]+)$/.exec(text) ?? []
  if (encoded === '') return { problem: 'key-form' }
  const bytes = decodeBase64url(encoded)
  if (!bytes) return { problem: 'key-encoding' }
  if (bytes.length !== sessionKeyBytes) return { problem: 'key-length' }
  if (new Set(bytes).size < minDistinctBytes) return { problem: 'key-not-random' }
  if (earlier.some(key => key.kid === kid)) return { problem: 'key-name-repeated' }
  return { value: { kid, bytes } }
}
