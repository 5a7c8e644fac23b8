import { encodeBase64url } from '../settings/base64url.ts'

/** What a runtime brings of cryptography. Where it is there at once, there is nothing to wait for. */
export interface Cryptography {
  /** AES-256-GCM (NIST SP 800-38D) under a key of 32 bytes. */
  aesGcm(key: Bytes): Aead
  /** The 32 bytes of SHA-256. */
  sha256(content: Bytes): Bytes | Promise<Bytes>
}

/** Authenticated encryption; the tag of 16 bytes stands at the end of what is encrypted. */
export interface Aead {
  encrypt(iv: Bytes, additional: Bytes, content: Bytes): Bytes | Promise<Bytes>
  /** Throws when key, IV, additional data or content is not the one of the encryption. */
  decrypt(iv: Bytes, additional: Bytes, content: Bytes): Bytes | Promise<Bytes>
}

export type Bytes = Uint8Array<ArrayBuffer>

/** By WebCrypto, which every runtime has. Keys are imported once. */
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

/** Returns random base64url text of so many bytes, from the runtime's cryptographic source. */
export function randomText(bytes: number): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
}
