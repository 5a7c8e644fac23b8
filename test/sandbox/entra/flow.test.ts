import { describe, expect, it } from 'vitest'
import { returnedFields, runApplication } from './application.ts'

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
  })
})

describe('the sign-in page', () => {
  it('redirects with a subcode and no description on cancel', async () => {
    const browser = application.browser()
    const page = await browser.go(await application.authorization())
    expect(returnedFields(await browser.go(`${page.url.href}/cancel`, {}))).toEqual({
      error: 'access_denied',
      error_subcode: 'cancel',
      state: application.state,
    })
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
})
