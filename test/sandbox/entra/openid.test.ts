import { afterEach, describe, expect, it } from 'vitest'
import { type Fields, redirectUri, runApplication } from './application.ts'

const everyScope = 'openid profile email offline_access User.Read'

const application = runApplication()
afterEach(() => application.entra.setUsers(application.entra.description.users))

interface Granted {
  readonly access_token: string
  readonly refresh_token?: string
  readonly id_token?: string
  readonly client_info?: string
  readonly scope?: string
  readonly error_codes?: readonly number[]
}

const granted = async (response: Response): Promise<Granted> => (await response.json()) as Granted

/** Signs a user in and redeems the code. */
async function grant(scope: string, changes: Fields = {}, account?: string): Promise<Granted> {
  return granted(await application.redeem(await application.code(account, { scope }), changes))
}

const parsePart = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'))

const claimsIn = ({ id_token: idToken }: Granted) => parsePart(idToken?.split('.')[1])

describe('an ID token', () => {
  it('has the claims of version 2.0, by scope', async () => {
    const { tenantId } = application.entra.description
    const tokens = await grant(everyScope)
    const claims = claimsIn(tokens)
    expect(parsePart(tokens.id_token?.split('.')[0])).toMatchObject({ typ: 'JWT', alg: 'RS256' })
    const { id } = application.users.alice
    expect(claims).toMatchObject({
      iss: application.server.issuer,
      aud: application.client.client_id,
      ver: '2.0',
      sub: id,
      oid: id,
      tid: tenantId,
      uti: expect.stringMatching(/^\w{22}$/),
      name: 'Alice Archer',
      preferred_username: 'alice@example.com',
      email: 'alice@example.com',
    })
    expect(Number(claims['nbf'])).toBeLessThanOrEqual(Number(claims['iat']))
    expect(Object.keys(claimsIn(await grant('openid User.Read')))).not.toContain('email')
    const withoutMail = claimsIn(await grant('openid email', {}, 'bob@example.com'))
    expect(Object.keys(withoutMail)).not.toContain('email')
  })

  it('is accepted by oauth4webapi', async () => {
    const { url } = await application.signIn('alice@example.com', { scope: everyScope })
    expect(await application.exchange(url)).toMatchObject({ id_token: expect.any(String) })
  })
})

describe("the tenant's domain", () => {
  it('can replace its id in an authority', async () => {
    const { instance, tenantId, tenantDomain } = application.entra.description
    for (const domain of [tenantDomain, 'Example.OnMicrosoft.com']) {
      const configuration = await fetch(`${instance}${domain}/v2.0/.well-known/openid-configuration`)
      expect(await configuration.json()).toMatchObject({ issuer: `${instance}${tenantId}/v2.0` })
    }
    const start = (await application.authorization()).href.replace(tenantId, tenantDomain)
    const browser = application.browser()
    const { url } = await browser.pick(await browser.go(start), 'alice@example.com')
    const endpoint = `${instance}${tenantDomain}/oauth2/v2.0/token`
    const form = { code: url.searchParams.get('code') ?? '', code_verifier: application.verifier }
    const { clientId, clientSecret } = application.entra.description
    const response = await fetch(endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        ...form,
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
      }),
    })
    expect(response.status).toBe(200)
  })
})
