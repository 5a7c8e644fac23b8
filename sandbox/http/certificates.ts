import { generateKeyPair, randomBytes, sign as signBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { promisify } from 'node:util'
import forge from 'node-forge'

/** Issues certificates for any host, from one authority that lives as long as the sandbox. */
export interface Authority {
  /** The authority's own certificate, as clients are made to trust it. */
  readonly pem: string
  /** What a server shows to a client that names no host: one that was given an address. PEM. */
  readonly fallback: { readonly key: string; readonly cert: string }
  /** What a server shows to a client that asked for this host. */
  contextFor(host: string): SecureContext
}

interface KeyPair {
  readonly privatePem: string
  readonly publicPem: string
}

const dayMs = 24 * 3600 * 1000
/** Both before what any client takes for too long. */
const authorityDays = 365
const hostDays = 90
const mostContexts = 1000
/** Each has a name of its own: what trusts one sandbox should not take another for it, though they may share a key. */
const authorityName = () => `Homeport sandbox CA ${randomBytes(4).toString('hex')}`
/** For a client that names no host, or none that can be one. */
const fallbackHost = 'localhost'
const hostRule =
  /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

const generate = promisify(generateKeyPair)

/** RSA, since it is what every client of these years takes. node-forge would need seconds for what Node does in tenths. */
async function makeKeys(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { privatePem: privateKey, publicPem: publicKey }
}

/**
 * Positive, and of 20 bytes at most (RFC 5280 section 4.1.2.2). Its first bits are 01: node-forge encodes the bytes as
 * they stand, and DER allows no zero byte in front that does not have to be there.
 */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40)
  return bytes.toString('hex')
}

function makeCertificate(
  name: string,
  publicPem: string,
  days: number,
): { certificate: forge.pki.Certificate; subject: forge.pki.CertificateField[] } {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicPem)
  certificate.serialNumber = serialNumber()
  // By the machine's clock, whatever the sandbox's says: clients go by it too. A day back, for clocks that differ.
  certificate.validity.notBefore = new Date(Date.now() - dayMs)
  certificate.validity.notAfter = new Date(Date.now() + days * dayMs)
  const subject = [{ name: 'commonName', value: name }]
  certificate.setSubject(subject)
  return { certificate, subject }
}

/** node-forge with a function that its types lack. */
const pki = forge.pki as typeof forge.pki & {
  getTBSCertificate(certificate: forge.pki.Certificate): forge.asn1.Asn1
}

/** Signs with Node's RSA, which takes 1 ms where node-forge's takes 50 ms. Tests start hundreds of sandboxes. */
function sign(certificate: forge.pki.Certificate, privatePem: string): string {
  certificate.signatureOid = forge.pki.oids['sha256WithRSAEncryption'] ?? ''
  certificate.siginfo.algorithmOid = certificate.signatureOid
  certificate.tbsCertificate = pki.getTBSCertificate(certificate)
  const signed = Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'latin1')
  certificate.signature = signBytes('sha256', signed, privatePem).toString('latin1')
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n')
}

const alternativeName = (host: string) => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host })

/** The names that a certificate is good for: the host's, and at the fallback what this machine calls itself. */
const namesOf = (host: string): object[] =>
  (host === fallbackHost ? [fallbackHost, '127.0.0.1'] : [host]).map(alternativeName)

/** A common name has 64 characters at most (RFC 5280, upper bounds); clients look at the alternative names. */
const commonName = (host: string): string => (host.length <= 64 ? host : host.slice(-64))

let processKeys: Promise<[authority: KeyPair, hosts: KeyPair]> | undefined

/** The keys of every sandbox of this process: making them is most of what a start takes, and tests start hundreds. */
function keysOfProcess() {
  processKeys ??= Promise.all([makeKeys(), makeKeys()])
  return processKeys
}

/** Makes an authority, under a key that is never written down. */
export async function createAuthority(): Promise<Authority> {
  const [keys, hostKeys] = await keysOfProcess()
  const { certificate, subject } = makeCertificate(authorityName(), keys.publicPem, authorityDays)
  certificate.setIssuer(subject)
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
  ])
  const pem = sign(certificate, keys.privatePem)
  const keyIdentifier = certificate.generateSubjectKeyIdentifier().getBytes()
  const contexts = new Map<string, SecureContext>()

  const issue = (host: string) => {
    const { certificate: issued } = makeCertificate(commonName(host), hostKeys.publicPem, hostDays)
    issued.setIssuer(subject)
    issued.setExtensions([
      { name: 'basicConstraints', critical: true, cA: false },
      { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: namesOf(host) },
      { name: 'subjectKeyIdentifier' },
      { name: 'authorityKeyIdentifier', keyIdentifier },
    ])
    return { key: hostKeys.privatePem, cert: sign(issued, keys.privatePem) + pem }
  }
  return {
    pem,
    fallback: issue(fallbackHost),
    contextFor: asked => {
      const lower = asked.toLowerCase()
      const host = hostRule.test(lower) ? lower : fallbackHost
      const present = contexts.get(host)
      if (present) return present
      const context = createSecureContext(issue(host))
      const oldest = contexts.keys().next().value
      if (contexts.size >= mostContexts && oldest !== undefined) contexts.delete(oldest)
      contexts.set(host, context)
      return context
    },
  }
}
