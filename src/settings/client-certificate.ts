import type { ClientCertificate } from '../../lib/client-certificate.ts'
import type { FullReading } from '../../lib/reading.ts'
import { refuse } from '../../lib/settings/readers.ts'
import { encodeHex } from './base64url.ts'

/** A variable of a Worker holds 5 KB. */
const maxLength = 5000

/** The start of a PKCS#8 key of RSA (RFC 5208, RFC 8017 A.1.2), in hex. The modulus has 2,048 or 3,072 bits. */
const rsaKey = /^3082.{4}020100300d06092a864886f70d01010105000482.{4}3082.{4}0201000282(0101|0181)00/
const rsaStartBytes = 40

/**
 * Reads a PEM of one key and its certificate, as far as a Worker can: lib/client-certificate.ts judges its dates, and whether the
 * key belongs to it. A problem repeats nothing of the text.
 */
export function readClientCertificate(text: string): FullReading<ClientCertificate> {
  const blocks = (label: string) => text.split(`-----BEGIN ${label}-----`).slice(1)
  const [keys, certificates] = [blocks('PRIVATE KEY'), blocks('CERTIFICATE')]
  if (!text.includes('-----BEGIN ')) return refuse('is not PEM. Set the file itself, not base64 of it.')
  if (text.includes('\r')) return refuse('has line ends of Windows (CRLF). Remove them.')
  if (text.includes('ENCRYPTED')) return refuse('has an encrypted key. Decrypt it with `openssl pkey`.')
  if (/(RSA|EC) PRIVATE/.test(text)) return refuse('has no PKCS#8 key. Convert it with `openssl pkey`.')
  if (keys.length !== 1 || certificates.length !== 1)
    return refuse(
      `has ${keys.length} private keys and ${certificates.length} certificates. Keep one each, and no chain.`,
    )
  if (text.length >= maxLength)
    return refuse(`is longer than ${maxLength} characters. Use a key of 2048 or 3072 bits.`)
  const [key, der] = [decode(keys[0]), decode(certificates[0])]
  if (!key || !der) return refuse('has a part that is not base64. Copy it again.')
  if (!rsaKey.test(encodeHex(key.subarray(0, rsaStartBytes))))
    return refuse('has another key than RSA of 2048 or 3072 bits. Create one.')
  return { value: { key, der } }
}

/** Decodes the base64 of a block up to its end (RFC 7468). */
function decode(block = ''): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(block.split('-----')[0] ?? ''), character => character.charCodeAt(0))
  } catch {
    return null
  }
}
