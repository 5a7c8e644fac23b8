import {
  constants,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto'
import { dayMs, makeCertificate, signCertificate } from '../http/certificates.ts'
import { encodePart } from './token-issuer.ts'

export interface TestCertificate {
  readonly privateKey: KeyObject
  readonly certificatePem: string
  readonly keyPem: string
  /** Certificate and key, as in CLIENT_CERTIFICATE_FILE. */
  readonly pem: string
  /** DER in base64, as in Graph's keyCredentials. */
  readonly der: string
}

export interface CertificateOptions {
  readonly bits?: number
  readonly from?: number
  readonly until?: number
  /** Certifies the key of this one. Generating a key takes longer than everything else. */
  readonly keyOf?: TestCertificate
}

/** Creates a self-signed certificate. */
export function createClientCertificate({
  bits = 2048,
  from = Date.now() - dayMs,
  until = Date.now() + 365 * dayMs,
  keyOf,
}: CertificateOptions = {}): TestCertificate {
  const privateKey = keyOf?.privateKey ?? generateKeyPairSync('rsa', { modulusLength: bits }).privateKey
  const publicKey = createPublicKey(privateKey)
  const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const { certificate, subject } = makeCertificate('homeport', publicPem, from, until)
  certificate.setIssuer(subject)
  const certificatePem = signCertificate(certificate, privateKey)
  const der = certificatePem.replace(/-----[^-]+-----|\s/g, '')
  return { privateKey, certificatePem, keyPem, pem: certificatePem + keyPem, der }
}

export const thumbprintOf = ({ der }: TestCertificate, hash: 'sha1' | 'sha256' = 'sha256'): string =>
  createHash(hash).update(Buffer.from(der, 'base64')).digest('base64url')

export interface AssertionChanges {
  readonly header?: object
  readonly claims?: object
  /** Signs in place of the certificate's own key. */
  readonly signedBy?: TestCertificate
}

/** Returns a client assertion that Entra accepts, with changes. */
export function signAssertion(
  certificate: TestCertificate,
  { aud, clientId }: { readonly aud: string; readonly clientId: string },
  { header = {}, claims = {}, signedBy = certificate }: AssertionChanges = {},
): string {
  const now = Math.floor(Date.now() / 1000)
  const standard = { aud, iss: clientId, sub: clientId, jti: randomUUID(), nbf: now, exp: now + 300 }
  const head = { alg: 'PS256', typ: 'JWT', 'x5t#S256': thumbprintOf(certificate), ...header }
  const content = `${encodePart(head)}.${encodePart({ ...standard, ...claims })}`
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  const key = { key: signedBy.privateKey, ...(head.alg === 'PS256' ? pss : {}) }
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
}
