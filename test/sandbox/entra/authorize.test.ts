import { describe, expect, it } from 'vitest'
import { type Fields, redirectUri, runApplication } from './application.ts'

const application = runApplication()

/** Returns the expected callback parameters for an error. */
const refusal = (error: string, code: number) => ({
  error,
  error_description: expect.stringMatching(
    new RegExp(
      `^AADSTS${code}: .+ Trace ID: [0-9a-f-]{36} Correlation ID: [0-9a-f-]{36} Timestamp: \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ$`,
    ),
  ),
  error_uri: `${application.entra.description.instance}error?code=${code}`,
  state: application.state,
})

describe('an authorization request', () => {
  async function go(changes: Fields) {
    const response = await fetch(application.authorization(changes), { redirect: 'manual' })
    const { status, headers } = response
    return { status, location: headers.get('location'), text: await response.text() }
  }

  it.each([
    ['a trailing slash', `${redirectUri}/`],
    ['an extra query', `${redirectUri}?a=b`],
    ['another host', 'https://attacker.example/callback'],
    ['no redirect URI', undefined],
  ])('gets an error page without a redirect with %s', async (_, changed) => {
    const { status, location, text } = await go({ redirect_uri: changed })
    expect({ status, location }).toEqual({ status: 400, location: null })
    expect(text).toMatch(changed === undefined ? /AADSTS900144/ : /AADSTS50011/)
  })

  it('gets an error page for an unknown or missing application', async () => {
    expect((await go({ client_id: '00000000-0000-4000-a000-000000000000' })).text).toContain('AADSTS700016')
    expect((await go({ client_id: undefined })).text).toContain('AADSTS900144')
  })

  it('gets an error page for an unknown tenant, whose discovery names the error', async () => {
    for (const [tenant, code] of [
      ['00000000-0000-4000-a000-000000000000', 'AADSTS90002'],
      ['nobody', 'AADSTS900023'],
    ]) {
      const url = new URL(application.authorization().href.replace(/\/[\w-]+\/oauth2/, `/${tenant}/oauth2`))
      const page = await fetch(url, { redirect: 'manual' })
      expect(page.headers.get('location')).toBe(null)
      expect(await page.text()).toContain(code)
      const discovery = await fetch(new URL(`/${tenant}/v2.0/.well-known/openid-configuration`, url))
      expect(await discovery.json()).toMatchObject({
        error: 'invalid_tenant',
        error_description: expect.stringContaining(`${code}:`),
      })
    }
  })

  it.each<[string, Fields, string, number]>([
    ['no session, and no page', { prompt: 'none' }, 'login_required', 50058],
    [
      'no PKCE challenge',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
      50147,
    ],
    ['the plain method', { code_challenge_method: 'plain' }, 'invalid_request', 50147],
    ['a challenge of the wrong length', { code_challenge: 'short' }, 'invalid_request', 50147],
    [
      'a scope that requires administrator consent',
      { scope: 'User.Read Directory.Read.All' },
      'invalid_scope',
      70011,
    ],
    ['no response type', { response_type: undefined }, 'invalid_request', 900144],
    ['a disabled response type', { response_type: 'none' }, 'unsupported_response_type', 70005],
    ['a response type for fragments', { response_type: 'token' }, 'unsupported_response_type', 70005],
    ['an ID token', { response_type: 'id_token' }, 'unsupported_response_type', 700054],
    ['a code with an ID token', { response_type: 'code id_token' }, 'unsupported_response_type', 700054],
    ['the response mode fragment', { response_mode: 'fragment' }, 'invalid_request', 70007],
    ['an unknown response mode', { response_mode: 'pigeon' }, 'invalid_request', 70007],
    ['an unknown prompt', { prompt: 'perhaps' }, 'invalid_request', 90023],
  ])('is redirected with an error for %s', async (_, changes, error, code) => {
    const { location } = await go(changes)
    expect(location?.split('?')[0]).toBe(redirectUri)
    expect(Object.fromEntries(new URL(location ?? '').searchParams)).toEqual(refusal(error, code))
  })
})
