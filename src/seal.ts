import { decodeBase64url, encodeBase64url } from './base64url.ts'
import type { SessionKey } from './session-keys.ts'

/** What a sealed text is for. It is authenticated with the content, so that one never passes as the other. */
export type Purpose = 'transaction' | 'session'

/** Seals and opens texts under a list of keys: the first seals, all open. */
export interface Sealer {
  /** `kid.` and the base64url of IV and ciphertext. `context` must be the same when it is opened. */
  seal(purpose: Purpose, text: string, context?: string): Promise<string>
  /** The text, or null when anything about it is wrong; a caller learns no more than that. */
  open(purpose: Purpose, sealed: string, context?: string): Promise<string | null>
}

/** NIST SP 800-38D: 96 random bits. One key stays far below 2^32 seals at any rate people sign in. */
const ivBytes = 12
const tagBytes = 16

/** A browser keeps at most this many bytes of one cookie (RFC 6265 §6.1; ASVS 5.0 3.3.5). */
const maxSealedLength = 4096

/** AES-256-GCM by WebCrypto, the same in Node and in workerd. Keys are imported once. */
export function createSealer(keys: readonly SessionKey[]): Sealer {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const imported = new Map(
    keys.map(({ kid, bytes }) => [
      kid,
      crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']),
    ]),
  )
  const [first] = keys
  const sealing = first && imported.get(first.kid)
  if (!sealing) throw new RangeError('a sealer needs a key')
  const parameters = (iv: Uint8Array<ArrayBuffer>, kid: string, purpose: Purpose, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encoder.encode(JSON.stringify(['homeport', purpose, kid, context])),
  })
  return {
    async seal(purpose, text, context = '') {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
      const content = await crypto.subtle.encrypt(
        parameters(iv, first.kid, purpose, context),
        await sealing,
        encoder.encode(text),
      )
      const bytes = new Uint8Array(ivBytes + content.byteLength)
      bytes.set(iv)
      bytes.set(new Uint8Array(content), ivBytes)
      return `${first.kid}.${encodeBase64url(bytes)}`
    },

    async open(purpose, sealed, context = '') {
      const dot = sealed.indexOf('.')
      if (dot < 1 || sealed.length > maxSealedLength) return null
      const kid = sealed.slice(0, dot)
      const key = await imported.get(kid)
      const bytes = decodeBase64url(sealed.slice(dot + 1))
      if (!key || !bytes || bytes.length < ivBytes + tagBytes) return null
      try {
        const iv = bytes.slice(0, ivBytes)
        return decoder.decode(
          await crypto.subtle.decrypt(parameters(iv, kid, purpose, context), key, bytes.slice(ivBytes)),
        )
      } catch {
        return null
      }
    },
  }
}
