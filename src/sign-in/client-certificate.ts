import type { Client, ClientAuth } from 'oauth4webapi'
import type { ClientCertificate } from '../../lib/client-certificate.ts'
import { signJwt } from '../session/cryptography.ts'
import { encodeBase64url } from '../settings/base64url.ts'
import type { Settings } from '../settings/table.ts'
import { type ClientCredential, CredentialError } from './credential.ts'

/** How long an assertion is valid, in seconds. Entra's clock may differ from ours. */
const assertionSeconds = 300

/** PS256, which Entra recommends for assertions (certificate credentials). */
const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' }

/** The settings with a certificate, by the setting. */
export function certificatesIn({ clientCertificate, clientCertificateNext }: Settings) {
  return { CLIENT_CERTIFICATE: clientCertificate, CLIENT_CERTIFICATE_NEXT: clientCertificateNext }
}

/** Returns a credential for each certificate in the settings. @param now Unix time in milliseconds */
export function certificateCredentials(settings: Settings, now: () => number): readonly ClientCredential[] {
  return Object.entries(certificatesIn(settings)).flatMap(([name, certificate]) =>
    certificate === null
      ? []
      : [{ name, authenticate: createSigner(certificate, now), check: async () => undefined }],
  )
}

/** Returns how to authenticate with an assertion that a certificate's key signs. Throws a CredentialError if it cannot. */
export function createSigner(certificate: ClientCertificate, now: () => number): ClientAuth {
  const { subtle } = crypto
  return async (server, client, body) => {
    const { key, der } = certificate
    const signingKey = await subtle.importKey('pkcs8', key, algorithm, false, ['sign']).catch(() => {
      throw new CredentialError('CERTIFICATE_KEY_DAMAGED')
    })
    // By it, Entra finds the certificate (RFC 7515 §4.1.8).
    const thumbprint = encodeBase64url(new Uint8Array(await subtle.digest('SHA-256', der)))
    const id = client.client_id
    const seconds = Math.floor(now() / 1000)
    const claims = { iss: id, sub: id, aud: server.token_endpoint, jti: crypto.randomUUID() }
    const times = { iat: seconds, nbf: seconds, exp: seconds + assertionSeconds }
    const header = { alg: 'PS256', typ: 'JWT', 'x5t#S256': thumbprint }
    const parameters = { name: algorithm.name, saltLength: 32 }
    setAssertion(client, body, await signJwt(header, { ...claims, ...times }, parameters, signingKey))
  }
}

/** Puts an assertion into a token request (RFC 7523 §2.2). */
export function setAssertion({ client_id }: Client, body: URLSearchParams, assertion: string): void {
  body.set('client_id', client_id)
  body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
  body.set('client_assertion', assertion)
}
