import { encodeBase64url } from '../settings/base64url.ts'

/** Cryptography of a runtime. Returns no promises where it is synchronous. */
export interface Cryptography {
  /** Returns AES-256-GCM (NIST SP 800-38D) under a key of 32 bytes. */
  aesGcm(key: Bytes): Aead
  /** Returns the 32 bytes of SHA-256. */
  sha256(content: Bytes): Bytes | Promise<Bytes>
}

/** Authenticated encryption. The ciphertext ends with the tag of 16 bytes. */
export interface Aead {
  encrypt(iv: Bytes, additional: Bytes, content: Bytes): Bytes | Promise<Bytes>
  /** Throws if the key, IV, additional data or content does not match the encryption. */
  decrypt(iv: Bytes, additional: Bytes, content: Bytes): Bytes | Promise<Bytes>
}

export type Bytes = Uint8Array<ArrayBuffer>

/** WebCrypto, which every runtime has. Each key is imported once. */
export const webCryptography: Cryptography = {
  aesGcm(bytes) {
    const { subtle } = crypto
    const key = subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
    return {
      encrypt: async (iv, additionalData, content) =>
        new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, await key, content)),
      decrypt: async (iv, additionalData, content) =>
        new Uint8Array(await subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, await key, content)),
    }
  },
  sha256: async content => new Uint8Array(await crypto.subtle.digest('SHA-256', content)),
}

/** Returns cryptographically random bytes as base64url text. */
export function randomText(bytes: number): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
}

/** Returns a signed JWT (RFC 7515 §3.1, RFC 7519). */
export async function signJwt(
  header: object,
  claims: object,
  algorithm: Parameters<typeof crypto.subtle.sign>[0],
  key: Parameters<typeof crypto.subtle.sign>[1],
): Promise<string> {
  const encoder = new TextEncoder()
  const text = [header, claims].map(part => encodeBase64url(encoder.encode(JSON.stringify(part)))).join('.')
  const signature = await crypto.subtle.sign(algorithm, key, encoder.encode(text))
  return `${text}.${encodeBase64url(new Uint8Array(signature))}`
}
