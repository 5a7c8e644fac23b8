import { createHash } from 'node:crypto'
import { request } from 'node:https'
import { ConfidentialClientApplication, type INetworkModule, type NetworkResponse } from '@azure/msal-node'
import { describe, expect, it } from 'vitest'
import { createClientCertificate } from '../../support/client-certificate.ts'
import { Entra } from '../../support/entra.ts'
import { startTokenIssuer, tokenAudience, tokenSubject } from '../../support/token-issuer.ts'

const redirectUri = 'http://localhost:9/callback'

interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly cookies: readonly string[]
  readonly body: string
}

/** One https request that trusts the certificate. */
const send = (ca: string, url: string, method: string, headers: object, body?: string): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, ca, headers: { ...headers } }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          ),
          cookies: response.headers['set-cookie'] ?? [],
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

function network(ca: string): INetworkModule {
  async function over<T>(
    url: string,
    method: string,
    options?: { headers?: Record<string, string>; body?: string },
  ): Promise<NetworkResponse<T>> {
    const { status, headers, body } = await send(ca, url, method, options?.headers ?? {}, options?.body)
    return { status, headers, body: JSON.parse(body) as T }
  }
  return {
    sendGetRequestAsync: (url, options) => over(url, 'GET', options),
    sendPostRequestAsync: (url, options) => over(url, 'POST', options),
  }
}

/** Signs in as `account`, following redirects with cookies by hand. Returns the callback URL. */
async function signIn(ca: string, start: string, account: string): Promise<URL> {
  const cookies = new Map<string, string>()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  async function go(url: string, body?: string): Promise<URL> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, ...(body === undefined ? {} : form) }
    const reply = await send(ca, url, body === undefined ? 'GET' : 'POST', headers, body)
    for (const field of reply.cookies) {
      const [name = '', value = ''] = (field.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
      expect(field).toContain('secure')
    }
    const { location } = reply.headers
    if (location === undefined) return go(`${url}/login`, `account=${encodeURIComponent(account)}`)
    const next = new URL(location, url)
    return next.href.startsWith(redirectUri) ? next : go(next.href)
  }
  return go(start)
}

describe('over TLS', () => {
  async function withEntra(check: (entra: Entra, ca: string) => Promise<void>): Promise<void> {
    const entra = await Entra.start({ secure: true, redirectUris: [redirectUri] })
    try {
      await check(entra, entra.sandbox.description.ca)
    } finally {
      await entra.close()
    }
  }

  it.each(['secret', 'certificate', 'token'] as const)(
    'MSAL for Node signs a user in with a %s, and the scopes that it always requests',
    credential =>
      withEntra(async (entra, ca) => {
        const { instance, tenantId, clientId, clientSecret, graphUrl } = entra.description
        const { der, keyPem } = createClientCertificate()
        const issuer = await startTokenIssuer()
        entra.control.setState({
          entra: {
            credentials: {
              keyCredentials: [{ key: der }],
              federatedIdentityCredentials: [
                { issuer: issuer.url, subject: tokenSubject, audiences: [tokenAudience] },
              ],
            },
          },
        })
        const thumbprintSha256 = createHash('sha256').update(Buffer.from(der, 'base64')).digest('hex')
        const credentials = {
          secret: { clientSecret },
          certificate: { clientCertificate: { thumbprintSha256, privateKey: keyPem } },
          token: { clientAssertion: issuer.issue() },
        }
        expect(instance).toMatch(/^https:\/\/localhost:\d+\/$/)
        const msal = new ConfidentialClientApplication({
          auth: {
            clientId,
            ...credentials[credential],
            authority: `${instance}${tenantId}`,
            knownAuthorities: [new URL(instance).host],
          },
          system: { networkClient: network(ca) },
        })
        const codeVerifier = 'v'.repeat(43)
        const codeChallenge = Buffer.from(
          await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier)),
        ).toString('base64url')
        const start = await msal.getAuthCodeUrl({
          scopes: ['User.Read'],
          redirectUri,
          codeChallenge,
          codeChallengeMethod: 'S256',
          responseMode: 'query',
        })
        const back = await signIn(ca, start, 'alice@example.com')
        const result = await msal.acquireTokenByCode({
          scopes: ['User.Read'],
          redirectUri,
          codeVerifier,
          code: back.searchParams.get('code') ?? '',
        })
        expect(result.account).toMatchObject({ username: 'alice@example.com', tenantId })
        const authorization = `Bearer ${result.accessToken}`
        const me = await send(ca, `${graphUrl}/v1.0/me`, 'GET', { authorization })
        expect(JSON.parse(me.body)).toMatchObject({ mail: 'alice@example.com' })
        const redemption = entra.requests.find(({ path }) => path.endsWith('/token'))
        expect(new URLSearchParams(redemption?.body ?? '').get('scope')).toBe(
          'User.Read openid profile offline_access',
        )
        await issuer.close()
      }),
  )
})
