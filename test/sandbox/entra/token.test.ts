import { afterEach, describe, expect, it } from 'vitest'
import { type Fields, redirectUri, runApplication } from './application.ts'

const application = runApplication([redirectUri, 'http://localhost:9/other'])
afterEach(() => {
  application.entra.setSecrets([application.entra.description.clientSecret])
  application.entra.setUsers(application.entra.description.users)
})

const failure = (error: string, code: number) => ({
  error,
  error_description: expect.stringMatching(
    new RegExp(`^AADSTS${code}: .+ Trace ID: .+ Correlation ID: .+ Timestamp: .+Z$`),
  ),
  error_codes: [code],
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/),
  trace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  error_uri: `${application.entra.description.instance}error?code=${code}`,
})

async function expectFailure(response: Response, status: number, error: string, code: number) {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual(failure(error, code))
  expect(response.status).toBe(status)
}

describe('a token request', () => {
  it.each<[string, Fields, number, string, number]>([
    ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client', 7000215],
    ['no secret', { client_secret: undefined }, 401, 'invalid_client', 7000218],
    [
      'an unknown application',
      { client_id: '00000000-0000-4000-a000-000000000000' },
      400,
      'unauthorized_client',
      700016,
    ],
    ['a malformed application id', { client_id: 'x' }, 400, 'unauthorized_client', 700038],
    ['no application id', { client_id: undefined }, 400, 'invalid_request', 900144],
    ['no grant type', { grant_type: undefined }, 400, 'invalid_request', 900144],
    ['an unknown grant type', { grant_type: 'pigeon' }, 400, 'unsupported_grant_type', 70003],
    ['no code', { code: undefined }, 400, 'invalid_request', 900144],
    ['an unknown code', { code: 'x'.repeat(43) }, 400, 'invalid_grant', 70000],
    ['another verifier', { code_verifier: 'v'.repeat(43) }, 400, 'invalid_grant', 501481],
    ['no verifier', { code_verifier: undefined }, 400, 'invalid_grant', 501481],
    ['a malformed verifier', { code_verifier: '?' }, 400, 'invalid_grant', 501481],
    [
      'an unregistered redirect URI',
      { redirect_uri: 'http://localhost:9/callback/' },
      400,
      'invalid_client',
      50011,
    ],
    [
      'a registered redirect URI other than the one requested',
      { redirect_uri: 'http://localhost:9/other' },
      400,
      'invalid_client',
      50011,
    ],
    ['no redirect URI', { redirect_uri: undefined }, 400, 'invalid_request', 900144],
    ['a scope that is not allowed', { scope: 'Directory.Read.All' }, 400, 'invalid_scope', 70011],
  ])('with %s fails but does not use up the code', async (_, changes, status, error, number) => {
    const code = await application.code()
    await expectFailure(await application.redeem(code, changes), status, error, number)
    expect((await application.redeem(code)).status).toBe(200)
  })

  it('with an Origin header fails for a confidential application', async () => {
    const code = await application.code()
    const response = await application.redeem(code, {}, { origin: 'http://localhost:9' })
    await expectFailure(response, 400, 'invalid_request', 9002326)
  })
})

describe('client secrets', () => {
  it('are valid side by side until one is removed', async () => {
    const { clientSecret } = application.entra.description
    const next = 'next~secret+with/everything='
    const statusWith = async (secret: string) =>
      (await application.redeem(await application.code(), { client_secret: secret })).status
    application.entra.setSecrets([next, clientSecret])
    expect([await statusWith(clientSecret), await statusWith(next)]).toEqual([200, 200])
    application.entra.setSecrets([next])
    expect([await statusWith(clientSecret), await statusWith(next)]).toEqual([401, 200])
  })

  it('are refused with their own error when they have expired', async () => {
    const { clientSecret } = application.entra.description
    const code = await application.code()
    application.entra.setSecrets(['next'], [clientSecret])
    await expectFailure(await application.redeem(code), 401, 'invalid_client', 7000222)
    expect((await application.redeem(code, { client_secret: 'next' })).status).toBe(200)
  })
})

describe('a code', () => {
  it('can be redeemed only once', async () => {
    const code = await application.code()
    expect((await application.redeem(code)).status).toBe(200)
    for (let again = 0; again < 3; again += 1) {
      await expectFailure(await application.redeem(code), 400, 'invalid_grant', 54005)
    }
  })

  it('is redeemed by only one of two concurrent requests', async () => {
    for (let round = 0; round < 10; round += 1) {
      const code = await application.code()
      const both = await Promise.all([application.redeem(code), application.redeem(code)])
      expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
      const loser = both.find(({ status }) => status === 400)
      expect(await loser?.json()).toEqual(failure('invalid_grant', 54005))
    }
  })

  it('expires', async () => {
    const code = await application.code()
    application.entra.control.setClock({ advanceMs: 660_000 })
    await expectFailure(await application.redeem(code), 400, 'invalid_grant', 70008)
    expect((await application.redeem(await application.code())).status).toBe(200)
  })

  it('is refused if its user has been deleted', async () => {
    const [alice, ...others] = application.entra.description.users
    if (alice === undefined) throw new Error('The tenant has no users.')
    const code = await application.code()
    application.entra.setUsers(others)
    await expectFailure(await application.redeem(code), 400, 'invalid_grant', 50034)
    expect((await application.redeem(await application.code('bob@example.com'))).status).toBe(200)
  })
})
