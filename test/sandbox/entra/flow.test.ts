import { describe, expect, it } from 'vitest'
import { Entra } from '../../../sandbox/testing/entra.ts'
import { Application, redirectUri, returnedFields, runApplication } from './application.ts'

const application = runApplication()

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('a sign-in driven by oauth4webapi', () => {
  it('returns a token for User.Read and the profile of the picked account', async () => {
    const { url } = await application.signIn('alice@example.com')
    const {
      access_token: token,
      scope,
      token_type: type,
      expires_in: seconds,
    } = await application.exchange(url)
    expect({ scope, type, seconds }).toEqual({ scope: 'User.Read', type: 'bearer', seconds: 3599 })
    const profile = await application.me(token)
    expect(profile.status).toBe(200)
    expect(await profile.json()).toMatchObject({ mail: 'alice@example.com', displayName: 'Alice Archer' })
  })

  it('returns code, state and session_state, and no iss', async () => {
    const fields = returnedFields(await application.signIn('alice@example.com'))
    expect(fields).toEqual({
      code: expect.stringMatching(/^[\w-]{40,}$/),
      state: application.state,
      session_state: expect.stringMatching(guid),
    })
  })

  it('records requests without codes, secrets, verifiers and tokens', async () => {
    application.entra.clearRequests()
    const { url } = await application.signIn('alice@example.com')
    const { access_token: token } = await application.exchange(url)
    await application.me(token)
    const { clientSecret } = application.entra.description
    const remembered = JSON.stringify(application.entra.requests)
    const sensitive = [url.searchParams.get('code') ?? '?', clientSecret, application.verifier, token]
    for (const value of sensitive) {
      expect(remembered).not.toContain(value)
      expect(remembered).not.toContain(encodeURIComponent(value))
    }
    const [redemption] = application.entra.requests.filter(({ path }) => path.endsWith('/token'))
    expect(Object.fromEntries(new URLSearchParams(redemption?.body ?? ''))).toEqual({
      grant_type: 'authorization_code',
      client_id: application.client.client_id,
      client_secret: '<redacted>',
      code: '<redacted>',
      code_verifier: '<redacted>',
      redirect_uri: redirectUri,
    })
    expect(redemption?.status).toBe(200)
    const [profile] = application.entra.requests.filter(({ path }) => path === '/v1.0/me')
    expect(profile?.headers['authorization']).toBe('Bearer <unknown>')
    const [authorize] = application.entra.requests
    expect(Object.fromEntries(new URLSearchParams(authorize?.query))).toMatchObject({
      scope: 'User.Read',
      code_challenge_method: 'S256',
      redirect_uri: redirectUri,
    })
  })
})

describe('the sign-in page', () => {
  it('has a button for every user, a cancel button and no script', async () => {
    const { text, response } = await application.browser().go(await application.authorization())
    expect(response?.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toContain('<html lang="en">')
    expect(text).not.toMatch(/<script|onload|onclick/)
    for (const { userPrincipalName } of application.entra.description.users) {
      expect(text).toContain(`name="account" value="${userPrincipalName}"`)
    }
    expect(text).toContain('>Cancel</button>')
  })

  it('redirects with a subcode and no description on cancel', async () => {
    const browser = application.browser()
    const page = await browser.go(await application.authorization())
    expect(returnedFields(await browser.go(`${page.url.href}/cancel`, {}))).toEqual({
      error: 'access_denied',
      error_subcode: 'cancel',
      state: application.state,
    })
  })

  it('escapes names of users', async () => {
    const [alice] = application.entra.description.users
    const sly = {
      ...alice,
      id: 'sly',
      userPrincipalName: `"'<b>@example.com`,
      displayName: '<script>1</script>',
    }
    application.entra.setUsers([{ mail: null, ...sly }])
    const { text } = await application.browser().go(await application.authorization())
    application.entra.setUsers(application.entra.description.users)
    expect(text).toContain('&lt;script&gt;1&lt;/script&gt;')
    expect(text).toContain('value="&quot;&#39;&lt;b&gt;@example.com"')
    expect(text).not.toContain('<script>')
  })

  it('shows an error without a redirect for an unknown or disabled account', async () => {
    const { url, text } = await application.signIn('nobody@example.com')
    expect(url.pathname).toMatch(/^\/interaction\//)
    expect(text).toContain('AADSTS50034')
    expect((await application.signIn('disabled@example.com')).text).toContain('AADSTS50057')
  })

  it('shows an error to a browser that did not start the sign-in', async () => {
    const { url } = await application.browser().go(await application.authorization())
    const elsewhere = await application.browser().go(url)
    expect(elsewhere.response?.status).toBe(400)
    expect(elsewhere.text).toContain('AADSTS50089')
    const forged = await application.browser().go(`${url.href}/login`, { account: 'alice@example.com' })
    expect(forged.text).toContain('AADSTS50089')
  })
})

describe('a signed-in browser', () => {
  it('gets the sign-in page for prompt=login, select_account and consent', async () => {
    const browser = application.browser()
    await application.signIn('alice@example.com', {}, browser)
    for (const prompt of ['login', 'select_account', 'consent']) {
      const page = await browser.go(await application.authorization({ prompt }))
      expect(page.text).toContain('Pick an account')
      const { url } = await browser.pick(page, 'bob@example.com')
      const { access_token: token } = await application.exchange(url)
      expect(await (await application.me(token)).json()).toMatchObject({ displayName: 'Bob Baker' })
    }
  })

  it('gets the sign-in page if login_hint names another account, which is listed first', async () => {
    const browser = application.browser()
    await application.signIn('alice@example.com', {}, browser)
    const same = await browser.go(await application.authorization({ login_hint: 'ALICE@example.com' }))
    expect(same.url.searchParams.has('code')).toBe(true)
    const other = await browser.go(await application.authorization({ login_hint: 'bob@example.com' }))
    expect(other.text).toContain('Sign in as Bob Baker')
    expect(other.text.indexOf('bob@example.com')).toBeLessThan(other.text.indexOf('alice@example.com'))
  })

  it('gets a code or login_required for prompt=none', async () => {
    const browser = application.browser()
    const stranger = await browser.go(await application.authorization({ prompt: 'none' }))
    expect(returnedFields(stranger)).toMatchObject({
      error: 'login_required',
      error_description: expect.stringMatching(/^AADSTS50058: .+ Trace ID: /),
      state: application.state,
    })
    await application.signIn('alice@example.com', {}, browser)
    const known = await browser.go(await application.authorization({ prompt: 'none' }))
    expect(known.url.searchParams.has('code')).toBe(true)
  })

  it('can sign in in two tabs at once', async () => {
    const browser = application.browser()
    const first = await browser.go(await application.authorization())
    const second = await browser.go(await application.authorization())
    const late = await browser.pick(second, 'bob@example.com')
    const early = await browser.pick(first, 'bob@example.com')
    const codes = [late, early].map(({ url }) => url.searchParams.get('code'))
    expect(new Set(codes).size).toBe(2)
    expect(codes).not.toContain(null)
  })

  it('can sign out at the logout URL', async () => {
    const browser = application.browser()
    await application.signIn('alice@example.com', {}, browser)
    const page = await browser.go(`${application.authority}/oauth2/v2.0/logout`)
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    expect((await browser.go(action, { xsrf, logout: 'yes' })).text).toContain('Signed out')
    const { text } = await browser.go(await application.authorization())
    expect(text).toContain('Pick an account')
  })
})

describe('an emulator', () => {
  it('can run next to another with the same seed', async () => {
    const entra = await Entra.start({ redirectUris: [redirectUri] })
    expect(entra.description.instance).not.toBe(application.entra.description.instance)
    expect(await new Application(() => entra).token()).not.toBe('')
    await entra.close()
  })
})
