import { describe, expect, it } from 'vitest'
import { type Fields, redirectUri, returnedFields, runApplication } from './application.ts'

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

describe('a user with the outcome', () => {
  it.each([
    ['consent-required', 'consent_required', 65001],
    ['consent-declined', 'access_denied', 65004],
    ['admin-consent-required', 'access_denied', 90094],
    ['not-assigned', 'access_denied', 50105],
    ['conditional-access', 'interaction_required', 53003],
    ['mfa-required', 'interaction_required', 50076],
  ])('%s is redirected with %s, AADSTS%d', async (outcome, error, code) => {
    const visit = await application.signIn(`${outcome}@example.com`)
    expect(`${visit.url.origin}${visit.url.pathname}`).toBe(redirectUri)
    expect(returnedFields(visit)).toEqual(refusal(error, code))
  })

  it('disabled gets an error page without a redirect', async () => {
    const { url, text, response } = await application.signIn('disabled@example.com')
    expect(url.origin).toBe(new URL(application.authority).origin)
    expect(response?.status).toBe(400)
    expect(text).toContain('AADSTS50057')
  })
})

describe('an authorization request', () => {
  const go = async (changes: Fields) => application.browser().go(await application.authorization(changes))

  it.each([
    ['a trailing slash', `${redirectUri}/`],
    ['another case', redirectUri.replace('callback', 'Callback')],
    ['another scheme', redirectUri.replace('http:', 'https:')],
    ['another port', redirectUri.replace(':9', ':10')],
    ['an extra query', `${redirectUri}?a=b`],
    ['another host', 'https://attacker.example/callback'],
    ['no redirect URI', undefined],
  ])('gets an error page without a redirect with %s', async (_, changed) => {
    const { url, response, text } = await go({ redirect_uri: changed })
    expect(url.origin).toBe(new URL(application.authority).origin)
    expect(response?.status).toBe(400)
    expect(text).toMatch(changed === undefined ? /AADSTS900144/ : /AADSTS50011/)
  })

  it('gets an error page for an unknown or missing application', async () => {
    expect((await go({ client_id: '00000000-0000-4000-a000-000000000000' })).text).toContain('AADSTS700016')
    expect((await go({ client_id: undefined })).text).toContain('AADSTS900144')
  })

  it.each<[string, Fields, string, number]>([
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
    ['only such a scope', { scope: 'Directory.Read.All' }, 'invalid_scope', 70011],
    ['no response type', { response_type: undefined }, 'invalid_request', 900144],
    ['a disabled response type', { response_type: 'none' }, 'unsupported_response_type', 70005],
    ['a response type for fragments', { response_type: 'token' }, 'unsupported_response_type', 70005],
    ['an ID token', { response_type: 'id_token' }, 'unsupported_response_type', 700054],
    ['a code with an ID token', { response_type: 'code id_token' }, 'unsupported_response_type', 700054],
    ['the response mode fragment', { response_mode: 'fragment' }, 'invalid_request', 70007],
    ['an unknown response mode', { response_mode: 'pigeon' }, 'invalid_request', 70007],
    ['an unknown prompt', { prompt: 'perhaps' }, 'invalid_request', 90023],
  ])('is redirected with an error for %s', async (_, changes, error, code) => {
    const visit = await go(changes)
    expect(returnedFields(visit)).toEqual(refusal(error, code))
  })

  it('and other requests are refused for another tenant', async () => {
    const [tenant, code] = ['common', 90002]
    const { tenantId } = application.entra.description
    const authorize = new URL((await application.authorization()).href.replace(tenantId, tenant))
    const page = await application.browser().go(authorize)
    expect(page.response?.status).toBe(400)
    expect(page.text).toContain(`AADSTS${code}`)
    const token = await fetch(`${application.authority.replace(tenantId, tenant)}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'authorization_code' }),
    })
    expect(token.status).toBe(400)
    expect(await token.json()).toMatchObject({ error: 'invalid_request', error_codes: [code] })
    const { instance } = application.entra.description
    const configuration = await fetch(`${instance}${tenant}/v2.0/.well-known/openid-configuration`)
    expect(configuration.status).toBe(400)
    expect(await configuration.json()).toMatchObject({ error: 'invalid_tenant', error_codes: [code] })
  })
})
