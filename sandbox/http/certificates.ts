import { generateKeyPair, type KeyObject, randomBytes, sign as signBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { promisify } from 'node:util'
import forge from 'node-forge'

/** A certificate authority that issues certificates for any host. */
export interface Authority {
  /** The certificate of the authority, for clients to trust. As PEM. */
  readonly pem: string
  /** The certificate for clients without SNI, which connect by address. As PEM. */
  readonly fallback: { readonly key: string; readonly cert: string }
  /** Issues a certificate for a host, for a server of another program. It ends after these days. As PEM. */
  issue(host: string, days?: number): { readonly key: string; readonly cert: string }
  /** Returns the TLS context with the certificate for a host. */
  contextFor(host: string): SecureContext
}

interface KeyPair {
  readonly privateKey: KeyObject
  readonly privatePem: string
  readonly publicPem: string
}

export const dayMs = 24 * 3600 * 1000
/** Validity periods that every client accepts. */
const authorityDays = 365
const hostDays = 90
/** Returns a unique name, so that clients that trust one sandbox reject another. */
const authorityName = () => `Homeport sandbox CA ${randomBytes(4).toString('hex')}`
/** Used for clients without SNI. */
const fallbackHost = 'localhost'

const generate = promisify(generateKeyPair)

/** Returns a validity period by the machine's clock, as clients use it. It starts a day earlier for clocks that differ. */
const forDays = (days: number) => [Date.now() - dayMs, Date.now() + days * dayMs] as const

/** Generates an RSA key, which every client accepts. Node is ten times faster at this than node-forge. */
async function makeKeys(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 })
  return {
    privateKey,
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/**
 * Returns a positive serial number of at most 20 bytes (RFC 5280 section 4.1.2.2). Its first bits are 01, because
 * node-forge encodes the bytes unchanged and DER forbids redundant leading zero bytes.
 */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40)
  return bytes.toString('hex')
}

/** Makes a certificate without issuer and signature. It is valid from and until a time in milliseconds since 1970. */
export function makeCertificate(
  name: string,
  publicPem: string,
  from: number,
  until: number,
): { certificate: forge.pki.Certificate; subject: forge.pki.CertificateField[] } {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicPem)
  certificate.serialNumber = serialNumber()
  certificate.validity.notBefore = new Date(from)
  certificate.validity.notAfter = new Date(until)
  const subject = [{ name: 'commonName', value: name }]
  certificate.setSubject(subject)
  return { certificate, subject }
}

/** node-forge with a function that its types lack. */
const pki = forge.pki as typeof forge.pki & {
  getTBSCertificate(certificate: forge.pki.Certificate): forge.asn1.Asn1
}

/** Signs a certificate with Node's RSA, which takes 1 ms; node-forge takes 50 ms. Returns its PEM. */
export function signCertificate(certificate: forge.pki.Certificate, privateKey: KeyObject): string {
  certificate.signatureOid = forge.pki.oids['sha256WithRSAEncryption'] ?? ''
  certificate.siginfo.algorithmOid = certificate.signatureOid
  certificate.tbsCertificate = pki.getTBSCertificate(certificate)
  const signed = Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'latin1')
  certificate.signature = signBytes('sha256', signed, privateKey).toString('latin1')
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n')
}

const alternativeName = (host: string) => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host })

/** Returns the alternative names for a host. The fallback also covers the loopback address. */
const namesOf = (host: string): object[] =>
  (host === fallbackHost ? [fallbackHost, '127.0.0.1'] : [host]).map(alternativeName)

let keysOfProcess: Promise<KeyPair> | undefined

/**
 * Creates an authority. All authorities of a process and their hosts share one key, because generating it is slow. It is never
 * written to disk.
 */
export async function createAuthority(): Promise<Authority> {
  keysOfProcess ??= makeKeys()
  const keys = await keysOfProcess
  const { certificate, subject } = makeCertificate(authorityName(), keys.publicPem, ...forDays(authorityDays))
  certificate.setIssuer(subject)
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
  ])
  const pem = signCertificate(certificate, keys.privateKey)
  const keyIdentifier = certificate.generateSubjectKeyIdentifier().getBytes()
  const contexts = new Map<string, SecureContext>()

  const issue = (host: string, days = hostDays) => {
    const { certificate: issued } = makeCertificate(host, keys.publicPem, ...forDays(days))
    issued.setIssuer(subject)
    issued.setExtensions([
      { name: 'basicConstraints', critical: true, cA: false },
      { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: namesOf(host) },
      { name: 'subjectKeyIdentifier' },
      { name: 'authorityKeyIdentifier', keyIdentifier },
    ])
    return { key: keys.privatePem, cert: signCertificate(issued, keys.privateKey) + pem }
  }
  return {
    pem,
    fallback: issue(fallbackHost),
    issue,
    contextFor: name => {
      const host = name.toLowerCase()
      const cached = contexts.get(host)
      if (cached) return cached
      const context = createSecureContext(issue(host))
      contexts.set(host, context)
      return context
    },
  }
}
