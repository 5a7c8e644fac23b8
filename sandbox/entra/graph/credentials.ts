import { createHash, X509Certificate } from 'node:crypto'
import { ValidationError } from '../../http/validation.ts'

/** A certificate that authenticates an application. */
interface KeyCredential {
  readonly keyId: string
  readonly displayName: string | null
  /** The certificate: DER in base64. */
  readonly key: string
}

/** An external identity whose tokens authenticate an application. */
export interface FederatedCredential {
  readonly id: string
  readonly name: string
  readonly issuer: string
  readonly subject: string
  /** Has exactly one element. */
  readonly audiences: readonly string[]
}

/** The credentials of an application besides secrets. */
export interface AssertionCredentials {
  readonly keyCredentials: readonly KeyCredential[]
  readonly federatedIdentityCredentials: readonly FederatedCredential[]
}

/** Parses a certificate. @throws Error if the key is not DER in base64 */
export const certificateOf = ({ key }: Pick<KeyCredential, 'key'>): X509Certificate =>
  new X509Certificate(Buffer.from(key, 'base64'))

/** Returns the thumbprint of a certificate in base64url, as in `x5t` and `x5t#S256` (RFC 7515 sections 4.1.7 and 4.1.8). */
export const thumbprintOf = (certificate: X509Certificate, hash: 'sha1' | 'sha256'): string =>
  createHash(hash).update(certificate.raw).digest('base64url')

/** Returns a certificate in the format of the API, which leaves out the key. */
export function keyCredentialView({ keyId, displayName, key }: KeyCredential) {
  const certificate = certificateOf({ key })
  const time = (text: string) => new Date(text).toISOString().replace('.000', '')
  return {
    customKeyIdentifier: Buffer.from(thumbprintOf(certificate, 'sha1'), 'base64url').toString('base64'),
    displayName,
    endDateTime: time(certificate.validTo),
    key: null,
    keyId,
    startDateTime: time(certificate.validFrom),
    type: 'AsymmetricX509Cert',
    usage: 'Verify',
  }
}

/**
 * Reads the certificates that a PATCH leaves an application with.
 * @param now milliseconds since 1970
 * @throws ValidationError
 */
export function readKeyCredentials(
  sent: unknown,
  current: readonly KeyCredential[],
  now: number,
): readonly KeyCredential[] {
  // documented: PATCH replaces the list. A key of null keeps the certificate that has the keyId; a new one has its certificate in
  // base64, DER or PEM. Its end may not be after the certificate's. [Graph REST reference v1.0, keyCredential]
  return (Array.isArray(sent) ? sent : []).map((one): KeyCredential => {
    const { keyId, key = null, displayName = null, endDateTime } = Object(one)
    const kept = current.find(each => each.keyId === keyId)
    if (kept && key === null) return kept
    const certificate = parse(key)
    if (!certificate) throw new ValidationError('New key credentials must have a certificate.')
    const end = Date.parse(certificate.validTo)
    if (end <= now || (endDateTime && Date.parse(endDateTime) > end))
      throw new ValidationError('Key credential end date is invalid.')
    return { keyId, displayName, key: certificate.raw.toString('base64') }
  })
}

function parse(key: unknown): X509Certificate | null {
  try {
    return certificateOf({ key: String(key) })
  } catch {
    return null
  }
}
