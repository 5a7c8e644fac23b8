import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { formatDay } from '../../lib/settings/readers.ts'

/** A certificate that authenticates the application. */
export interface ClientCertificate {
  /** RSA, of 2,048 bits or more. */
  readonly key: KeyObject
  /** SHA-256 of the certificate in base64url, by which Entra finds it (`x5t#S256`, RFC 7515 §4.1.8). */
  readonly thumbprint: string
  /** Unix time in milliseconds. */
  readonly expiresAt: number
}

export type CertificateReading =
  | { readonly value: ClientCertificate }
  /** Continues the setting's name. Repeats nothing from the file. */
  | { readonly problem: string }

const certificateForm = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const keyForm = /-----BEGIN ([A-Z]+ )*PRIVATE KEY-----[\s\S]*?-----END ([A-Z]+ )*PRIVATE KEY-----/g

/** Shorter keys are no longer secure (NIST SP 800-131A). */
const minKeyBits = 2048

/**
 * Reads a PEM file with a certificate and its private key. With several certificates, such as a chain, the key's own one
 * is used.
 * @param now Unix time in milliseconds
 */
export function readClientCertificate(pem: string, now: number): CertificateReading {
  const refuse = (problem: string): CertificateReading => ({ problem })
  const certificates = pem.match(certificateForm) ?? []
  if (certificates.length === 0)
    return refuse(
      'names a file without a certificate in PEM form. To convert a .pfx file, run `openssl pkcs12 -in FILE.pfx -nodes -out FILE.pem`.',
    )
  const keys = pem.match(keyForm) ?? []
  const [keyPem = ''] = keys
  if (keys.length !== 1)
    return refuse(
      `names a file with ${keys.length} private keys. It must have one: append the certificate’s own key in PEM form.`,
    )
  if (keyPem.includes('ENCRYPTED'))
    return refuse('names a file whose private key is encrypted. Decrypt it with `openssl pkey`.')
  const key = parsed(() => createPrivateKey(keyPem))
  if (!key) return refuse('names a file whose private key is damaged. Copy it again.')
  // Entra accepts only RSA for signed assertions (certificate credentials).
  if (key.asymmetricKeyType !== 'rsa')
    return refuse(`names a file whose key is ${key.asymmetricKeyType}. Entra accepts only RSA.`)
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < minKeyBits)
    return refuse(`names a file whose RSA key has ${bits} bits. Use one with ${minKeyBits} or more.`)
  const readable = certificates.flatMap(text => parsed(() => new X509Certificate(text)) ?? [])
  const matching = readable.find(certificate => certificate.checkPrivateKey(key))
  if (!matching)
    return refuse('names a file whose private key does not match the certificate. Copy both again.')
  const expiresAt = Date.parse(matching.validTo)
  if (expiresAt <= now)
    return refuse(`names a certificate that expired on ${formatDay(expiresAt)}. Create a new one.`)
  const validFrom = Date.parse(matching.validFrom)
  if (validFrom > now)
    return refuse(`names a certificate that is not valid before ${formatDay(validFrom)}. Check the clock.`)
  const thumbprint = Buffer.from(matching.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url')
  return { value: { key, thumbprint, expiresAt } }
}

function parsed<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch {
    return null
  }
}
