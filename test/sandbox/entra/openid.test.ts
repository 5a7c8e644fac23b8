import { afterEach, describe, expect, it } from 'vitest'
import { type Fields, redirectUri, runApplication } from './application.ts'

const everyScope = 'openid profile email offline_access User.Read'
const dayMs = 24 * 3600 * 1000

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

const refresh = (refreshToken: string | undefined, changes: Fields = {}): Promise<Response> =>
  application.redeem('', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    code: undefined,
    code_verifier: undefined,
    redirect_uri: undefined,
    ...changes,
  })

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

describe('a refresh token', () => {
  it('is issued only for offline_access, and returns tokens for the same or fewer scopes', async () => {
    expect(await grant('openid User.Read')).not.toHaveProperty('refresh_token')
    const first = await grant('offline_access User.Read')
    expect(first.scope).toBe('User.Read')
    const { refresh_token: refreshToken } = await grant(everyScope)
    const again = await granted(await refresh(refreshToken, { scope: everyScope }))
    expect(again.scope).toBe('openid profile email User.Read')
    expect(claimsIn(again)).toMatchObject({ oid: application.users.alice.id })
    expect((await application.me(again.access_token)).status).toBe(200)
    const fewer = await granted(await refresh(refreshToken, { scope: 'openid' }))
    expect((await application.me(fewer.access_token)).status).toBe(403)
    const more = await refresh(first.refresh_token, { scope: 'openid' })
    expect(await granted(more)).toMatchObject({ error_codes: [70011] })
  })

  it('is replaced at each use, and the used one stays valid', async () => {
    const { refresh_token: first } = await grant(everyScope)
    const { refresh_token: second } = await granted(await refresh(first))
    expect(second).not.toBe(first)
    for (const one of [first, second, first]) expect((await refresh(one)).status).toBe(200)
  })

  it('expires after 90 days without use', async () => {
    const { refresh_token: first } = await grant(everyScope)
    application.entra.control.setClock({ advanceMs: 60 * dayMs })
    const { refresh_token: second } = await granted(await refresh(first))
    application.entra.control.setClock({ advanceMs: 60 * dayMs })
    expect(await granted(await refresh(first))).toMatchObject({ error_codes: [700082] })
    expect((await refresh(second)).status).toBe(200)
  })

  it('is revoked with the sessions of its user', async () => {
    const { alice, others } = application.users
    const { refresh_token: refreshToken } = await grant(everyScope)
    const now = Date.parse(application.entra.control.setClock({ advanceMs: 2000 }))
    const from = new Date(now).toISOString()
    application.entra.setUsers([{ ...alice, signInSessionsValidFromDateTime: from }, ...others])
    const refused = await refresh(refreshToken)
    expect([refused.status, (await granted(refused)).error_codes]).toEqual([400, [50173]])
    application.entra.control.setClock({ advanceMs: 2000 })
    expect((await refresh((await grant(everyScope)).refresh_token)).status).toBe(200)
  })

  it('is refused for a user who has been disabled or deleted, and with a wrong secret', async () => {
    const { alice, others } = application.users
    const { refresh_token: refreshToken } = await grant(everyScope)
    application.entra.setUsers([{ ...alice, outcome: 'disabled' }, ...others])
    expect(await granted(await refresh(refreshToken))).toMatchObject({ error_codes: [50057] })
    application.entra.setUsers(others)
    expect(await granted(await refresh(refreshToken))).toMatchObject({ error_codes: [50034] })
    expect((await refresh(refreshToken, { client_secret: 'wrong' })).status).toBe(401)
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

describe('PKCE', () => {
  it('is optional if the state says so', async () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined }
    application.entra.control.setState({ entra: { requirePkce: false } })
    const code = await application.code('alice@example.com', without)
    expect((await application.redeem(code, { code_verifier: undefined })).status).toBe(200)
    const guarded = await application.code()
    const refused = await application.redeem(guarded, { code_verifier: undefined })
    expect(await granted(refused)).toMatchObject({ error_codes: [501481] })
    application.entra.control.setState({ entra: { requirePkce: true } })
    const { url } = await application.signIn('alice@example.com', without)
    expect(url.searchParams.get('error_description')).toContain('AADSTS50147')
  })
})
