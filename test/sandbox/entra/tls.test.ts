import { createHash } from 'node:crypto'
import { ConfidentialClientApplication, type INetworkModule, type NetworkResponse } from '@azure/msal-node'
import { describe, expect, it } from 'vitest'
import { createClientCertificate } from '../../../sandbox/testing/client-certificate.ts'
import { Entra } from '../../../sandbox/testing/entra.ts'
import { startTokenIssuer, tokenAudience, tokenSubject } from '../../../sandbox/testing/token-issuer.ts'
import { request } from '../request.ts'

const redirectUri = 'http://localhost:9/callback'

/** The shared port, which stands for every public name, and the authority of its certificates. */
interface Shared {
  readonly ca: string
  readonly https: { readonly host: string; readonly port: number }
}

/** Sends a request to an address of its own, or to the shared port by a public name. */
const send = ({ ca, https }: Shared, url: string, method: string, headers: object, body?: string) =>
  request(url, {
    method,
    headers: { ...headers },
    body,
    ca,
    ...(new URL(url).port === '' ? { port: https.port } : {}),
  })

function network(at: Shared): INetworkModule {
  async function over<T>(
    url: string,
    method: string,
    options?: { headers?: Record<string, string>; body?: string },
  ): Promise<NetworkResponse<T>> {
    const { status, headers, text } = await send(at, url, method, options?.headers ?? {}, options?.body)
    const fields = Object.entries(headers).map(([name, value]) => [name, String(value)])
    return { status, headers: Object.fromEntries(fields), body: JSON.parse(text) as T }
  }
  return {
    sendGetRequestAsync: (url, options) => over(url, 'GET', options),
    sendPostRequestAsync: (url, options) => over(url, 'POST', options),
  }
}

/** Signs in as `account`, following redirects with cookies by hand. Returns the callback URL. */
async function signIn(at: Shared, start: string, account: string): Promise<URL> {
  const { origin } = new URL(start)
  const cookies = new Map<string, string>()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  async function go(url: string, body?: string): Promise<URL> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, ...(body === undefined ? {} : form) }
    const reply = await send(at, url, body === undefined ? 'GET' : 'POST', headers, body)
    for (const field of reply.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = (field.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
      expect(field).toContain('secure')
    }
    const { location } = reply.headers
    if (location === undefined) return go(`${url}/login`, `account=${encodeURIComponent(account)}`)
    const next = new URL(location, url)
    if (next.href.startsWith(redirectUri)) return next
    expect(next.origin).toBe(origin)
    return go(next.href)
  }
  return go(start)
}

describe('over TLS', () => {
  async function withEntra(
    options: object,
    check: (entra: Entra, at: Shared) => Promise<void>,
  ): Promise<void> {
    const entra = await Entra.start({ ...options, redirectUris: [redirectUri] })
    try {
      await check(entra, entra.sandbox.description)
    } finally {
      await entra.close()
    }
  }

  const own = { secure: true }
  it.each([
    ['secret', 'its own address', own],
    ['certificate', 'its own address', own],
    ['token', 'its own address', own],
    // MSAL then reads /common/discovery/instance, and trusts only the names that it lists.
    ['secret', 'the public names, from its first request to its last', { publicNames: true }],
  ] as const)(
    'MSAL for Node signs a user in with a %s at %s, and the scopes that it always requests',
    (credential, _, options) =>
      withEntra(options, async (entra, at) => {
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
        const isPublic = 'publicNames' in options
        expect(instance).toMatch(
          isPublic ? /^https:\/\/login\.microsoftonline\.com\/$/ : /^https:\/\/localhost:\d+\/$/,
        )
        const msal = new ConfidentialClientApplication({
          auth: {
            clientId,
            ...credentials[credential],
            authority: `${instance}${tenantId}`,
            ...(isPublic ? {} : { knownAuthorities: [new URL(instance).host] }),
          },
          system: { networkClient: network(at) },
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
        const back = await signIn(at, start, 'alice@example.com')
        const result = await msal.acquireTokenByCode({
          scopes: ['User.Read'],
          redirectUri,
          codeVerifier,
          code: back.searchParams.get('code') ?? '',
        })
        expect(result.account).toMatchObject({ username: 'alice@example.com', tenantId })
        const authorization = `Bearer ${result.accessToken}`
        const me = await send(at, `${graphUrl}/v1.0/me`, 'GET', { authorization })
        expect(JSON.parse(me.text)).toMatchObject({ mail: 'alice@example.com' })
        const redemption = entra.requests.find(({ path }) => path.endsWith('/token'))
        expect(new URLSearchParams(redemption?.body ?? '').get('scope')).toBe(
          'User.Read openid profile offline_access',
        )
        await issuer.close()
      }),
  )
})
