import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { FullReading, Reading } from './reading.ts'
import { formatDay } from './settings/readers.ts'

/** A certificate that authenticates an application, with its private key. */
export interface ClientCertificate {
  /** RSA, in PKCS#8. */
  readonly key: Uint8Array<ArrayBuffer>
  /** In DER. */
  readonly der: Uint8Array<ArrayBuffer>
}

/** More fields that node:crypto reads. */
export interface JudgedCertificate extends ClientCertificate {
  /** Unix time in milliseconds. */
  readonly expiresAt: number
}

const certificateForm = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const keyForm = /-----BEGIN ([A-Z]+ )*PRIVATE KEY-----[\s\S]*?-----END ([A-Z]+ )*PRIVATE KEY-----/g

/** Shorter keys are no longer secure (NIST SP 800-131A). */
const minKeyBits = 2048

/**
 * Reads the PEM of a certificate and its private key. With several certificates, such as a chain, the key's own one is used. A
 * problem continues the setting's name, and repeats nothing of the text.
 * @param now Unix time in milliseconds
 */
export function readCertificateFile(pem: string, now: number): Reading<JudgedCertificate> {
  const refuse = (problem: string) => ({ problem })
  const certificates = pem.match(certificateForm) ?? []
  if (certificates.length === 0)
    return refuse(
      'has no certificate in PEM form. To convert a .pfx file, run `openssl pkcs12 -in FILE.pfx -nodes -out FILE.pem`.',
    )
  const keys = pem.match(keyForm) ?? []
  const [keyPem = ''] = keys
  if (keys.length !== 1)
    return refuse(
      `has ${keys.length} private keys. It must have one: append the certificate’s own key in PEM form.`,
    )
  if (keyPem.includes('ENCRYPTED')) return refuse('has an encrypted key. Decrypt it with `openssl pkey`.')
  return judgeKey(() => createPrivateKey(keyPem), certificates, now)
}

/**
 * Judges the certificate in use and the one that follows it, and leaves out what is not set. Problems start with the setting's name.
 * @param now Unix time in milliseconds
 */
export function judgeCertificates(
  given: readonly (readonly [setting: string, certificate: ClientCertificate | null])[],
  now: number,
): FullReading<readonly (JudgedCertificate & { readonly setting: string })[]> {
  const problems: string[] = []
  let previous = { setting: '', expiresAt: 0 }
  const value = given.flatMap(([setting, certificate]) => {
    if (certificate === null) return []
    const { key, der } = certificate
    const reading = judgeKey(
      () => createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' }),
      [der],
      now,
    )
    if ('problem' in reading) {
      problems.push(`${setting} ${reading.problem}`)
      return []
    }
    const { expiresAt } = reading.value
    if (expiresAt <= previous.expiresAt)
      problems.push(`${setting} does not expire after ${previous.setting}. Swap them, or remove one.`)
    previous = { setting, expiresAt }
    return [{ setting, ...reading.value }]
  })
  return problems.length > 0 ? { problems } : { value }
}

function judgeKey(
  parseKey: () => KeyObject,
  certificates: readonly (string | Uint8Array)[],
  now: number,
): Reading<JudgedCertificate> {
  const refuse = (problem: string) => ({ problem })
  const key = parsed(parseKey)
  if (!key) return refuse('has a damaged private key. Copy it again.')
  // Entra accepts only RSA for signed assertions (certificate credentials).
  if (key.asymmetricKeyType !== 'rsa')
    return refuse(`has a key of type ${key.asymmetricKeyType}. Entra accepts only RSA.`)
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < minKeyBits) return refuse(`has an RSA key of ${bits} bits. Use one with ${minKeyBits} or more.`)
  const readable = certificates.flatMap(one => parsed(() => new X509Certificate(one)) ?? [])
  const matching = readable.find(certificate => certificate.checkPrivateKey(key))
  if (!matching) return refuse('has a private key that does not match the certificate. Copy both again.')
  const [validFrom, expiresAt] = [Date.parse(matching.validFrom), Date.parse(matching.validTo)]
  if (expiresAt <= now)
    return refuse(`has a certificate that expired on ${formatDay(expiresAt)}. Create a new one.`)
  if (validFrom > now)
    return refuse(`has a certificate that is not valid before ${formatDay(validFrom)}. Check the clock.`)
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' })
  return { value: { key: Uint8Array.from(pkcs8), der: Uint8Array.from(matching.raw), expiresAt } }
}

function parsed<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch {
    return null
  }
}
