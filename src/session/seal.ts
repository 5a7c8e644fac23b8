import { decodeBase64url, encodeBase64url } from '../settings/base64url.ts'
import type { SessionKey } from '../settings/session-keys.ts'
import { type Bytes, type Cryptography, webCryptography } from './cryptography.ts'

/** What a sealed text is for. It is authenticated with the content, so that one kind cannot pass for the other. */
export type Purpose = 'transaction' | 'session'

/** Encrypts strings under the first of its keys, and decrypts them under any. */
export interface Sealer {
  /** Returns `kid.` and the base64url of IV and ciphertext. Opening it needs the same context. */
  seal(purpose: Purpose, text: string, context?: string): Promise<string>
  /** Returns the text; null for any failure, so that a caller cannot tell which. */
  open(purpose: Purpose, sealed: string, context?: string): Promise<string | null>
}

/** 96 random bits suffice for 2^32 messages per key (NIST SP 800-38D §8.3), far more than a company seals. */
const ivBytes = 12
const tagBytes = 16

/** Browsers need not support more for one cookie (RFC 6265 §6.1; ASVS 5.0 3.3.5). */
const maxSealedLength = 4096

/** Seals with AES-256-GCM; the purpose, key name and context are additional data. */
export function createSealer(
  keys: readonly SessionKey[],
  cryptography: Cryptography = webCryptography,
): Sealer {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const ciphers = new Map(keys.map(({ kid, bytes }) => [kid, cryptography.aesGcm(bytes)]))
  const [first] = keys
  const sealing = first && ciphers.get(first.kid)
  if (!sealing) throw new RangeError('A sealer needs a key.')
  const additional = (purpose: Purpose, kid: string, context: string): Bytes =>
    encoder.encode(JSON.stringify(['homeport', purpose, kid, context]))
  return {
    async seal(purpose, text, context = '') {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
      const content = await sealing.encrypt(iv, additional(purpose, first.kid, context), encoder.encode(text))
      return `${first.kid}.${encodeBase64url(Uint8Array.of(...iv, ...content))}`
    },

    async open(purpose, sealed, context = '') {
      const dot = sealed.indexOf('.')
      // Stryker disable next-line ConditionalExpression: Without a dot, or with nothing before it, the rest is too short or no key has the name; the line only spares the work
      if (dot < 1 || sealed.length > maxSealedLength) return null
      const kid = sealed.slice(0, dot)
      const cipher = ciphers.get(kid)
      const bytes = decodeBase64url(sealed.slice(dot + 1))
      if (!cipher || !bytes || bytes.length < ivBytes + tagBytes) return null
      try {
        const [iv, content] = [bytes.slice(0, ivBytes), bytes.slice(ivBytes)]
        return decoder.decode(await cipher.decrypt(iv, additional(purpose, kid, context), content))
      } catch {
        return null
      }
    },
  }
}

/**
 * Returns a sealer that keeps what a session's text opened to, by the text: a browser sends the same one with each request.
 * Keeps `limit` of them and forgets the oldest first. What does not open is not kept.
 */
export function rememberSessions(sealer: Sealer, limit: number): Sealer {
  const opened = new Map<string, string>()
  return {
    ...sealer,
    async open(purpose, sealed, context = '') {
      if (purpose !== 'session' || context !== '') return sealer.open(purpose, sealed, context)
      const known = opened.get(sealed)
      if (known !== undefined) return known
      const text = await sealer.open(purpose, sealed)
      if (text === null) return null
      const [oldest] = opened.size >= limit ? opened.keys() : []
      if (oldest !== undefined) opened.delete(oldest)
      opened.set(sealed, text)
      return text
    },
  }
}
