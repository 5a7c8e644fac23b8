import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A token issuer on loopback, such as a Kubernetes cluster, with its OpenID configuration and keys. */
export interface TokenIssuer {
  readonly url: string
  /** Returns a signed token. Claims that are not given fit the exchange with Entra. */
  issue(claims?: object, key?: KeyObject): string
  close(): Promise<void>
}

export const tokenSubject = 'system:serviceaccount:people:homeport'
export const tokenAudience = 'api://AzureADTokenExchange'
const kid = 'cluster-1'

export const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const server = createServer((request, response) => {
    const body = request.url?.endsWith('/openid-configuration')
      ? { issuer: url, jwks_uri: `${url}/keys` }
      : { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    issue(claims = {}, key = privateKey) {
      const now = Math.floor(Date.now() / 1000)
      const standard = {
        iss: url,
        sub: tokenSubject,
        aud: tokenAudience,
        iat: now,
        nbf: now,
        exp: now + 3600,
      }
      const content = `${encodePart({ alg: 'RS256', kid })}.${encodePart({ ...standard, ...claims })}`
      return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
