import { createHash, X509Certificate } from 'node:crypto'
import type { SeededIds } from '../../http/seeded-ids.ts'
import {
  listOf,
  nullable,
  oneOf,
  type Reader,
  readFields,
  readString,
  readStrings,
  ValidationError,
} from '../../http/validation.ts'

/** A certificate that authenticates an application. */
interface KeyCredential {
  readonly keyId: string
  readonly displayName: string | null
  /** The certificate: DER in base64. */
  readonly key: string
}

/** An external identity whose tokens authenticate an application. */
interface FederatedCredential {
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

function readCertificate(value: unknown, where: string): string {
  const key = readString(value, where)
  try {
    certificateOf({ key })
    return key
  } catch {
    throw new ValidationError(`${where} must be a certificate: DER in base64.`)
  }
}

const sentKeyFields = {
  '@odata.type': nullable(readString),
  type: oneOf(['AsymmetricX509Cert']),
  usage: oneOf(['Verify']),
  key: nullable(readCertificate),
  keyId: nullable(readString),
  displayName: nullable(readString),
  customKeyIdentifier: nullable(readString),
  startDateTime: nullable(readString),
  endDateTime: nullable(readString),
}

/** Reads a list that replaces the current one. A certificate without `key` is kept, identified by its `keyId`. */
export function readKeyCredentials(
  value: unknown,
  current: readonly KeyCredential[],
  ids: SeededIds,
): readonly KeyCredential[] {
  return listOf((element, where) => {
    const { key, keyId, displayName } = readFields(element, where, sentKeyFields)
    const known = current.find(one => one.keyId === keyId)
    if (key === null && !known) throw new ValidationError(`${where}.key is missing.`)
    return { keyId: keyId ?? ids.uuid(), displayName, key: key ?? known?.key ?? '' }
  })(value, 'keyCredentials')
}

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

const oneAudience: Reader<readonly string[]> = (value, where) => {
  const audiences = readStrings(value, where)
  if (audiences.length !== 1) throw new ValidationError(`${where} must have one audience.`)
  return audiences
}

const sentFederatedFields = {
  name: readString,
  issuer: readString,
  subject: readString,
  audiences: oneAudience,
  description: nullable(readString),
}

/** Reads a federated credential to add. @throws ValidationError */
export function readFederatedCredential(sent: unknown, where: string): Omit<FederatedCredential, 'id'> {
  const { description: _description, ...credential } = readFields(sent, where, sentFederatedFields)
  return credential
}
