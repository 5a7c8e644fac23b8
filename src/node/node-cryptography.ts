import { createCipheriv, createDecipheriv, createSecretKey, hash } from 'node:crypto'
import type { Aead, Bytes, Cryptography } from '../session/cryptography.ts'

const algorithm = 'aes-256-gcm'
const tagBytes = 16

/**
 * Cryptography of node:crypto, which is synchronous. WebCrypto on Node passes each call to another thread, which takes
 * several times longer than encrypting a cookie. The formats are the same.
 */
export const nodeCryptography: Cryptography = {
  aesGcm(bytes): Aead {
    const key = createSecretKey(bytes)
    return {
      encrypt(iv, additional, content) {
        const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(additional)
        return joined(cipher.update(content), cipher.final(), cipher.getAuthTag())
      },
      decrypt(iv, additional, content) {
        const end = content.length - tagBytes
        const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
          .setAAD(additional)
          .setAuthTag(content.subarray(end))
        return joined(decipher.update(content.subarray(0, end)), decipher.final())
      },
    }
  },
  sha256: content => joined(hash('sha256', content, 'buffer')),
}

function joined(...parts: readonly Buffer[]): Bytes {
  return new Uint8Array(Buffer.concat(parts))
}
