import { afterEach, describe, expect, it } from 'vitest'
import type { Fault, FaultAnswer } from '../../../sandbox/http/faults.ts'
import * as faults from '../../../sandbox/testing/entra-faults.ts'
import { returnedFields, runApplication } from './application.ts'

const application = runApplication()
afterEach(() => application.entra.setFaults([]))

const fault = (...faults: readonly Fault[]) => application.entra.setFaults(faults)

/** Returns the code of the error with which oauth4webapi refuses a response. */
const refusedBy = async (exchange: Promise<unknown>): Promise<unknown> =>
  exchange.then(
    () => 'accepted',
    (error: { code?: unknown; error?: unknown; name?: unknown }) =>
      [error.error, error.code, error.name].find(text => typeof text === 'string'),
  )

async function exchanged() {
  const { url } = await application.signIn('alice@example.com')
  return refusedBy(application.exchange(url))
}

describe('a fault at the token endpoint', () => {
  it.each<[FaultAnswer, string]>([
    [faults.gatewayPage, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    [faults.halfAnAnswer, 'OAUTH_PARSE_ERROR'],
    [faults.redirect('/elsewhere'), 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    [faults.portalPage, 'OAUTH_RESPONSE_IS_NOT_JSON'],
    [faults.plain(500), 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    [faults.throttledToken('1'), 'temporarily_unavailable'],
    [faults.otherIssuer, 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    [faults.reset, 'TypeError'],
  ])('$kind is refused by oauth4webapi: %s', async (answer, reason) => {
    fault(faults.atToken(answer))
    expect(await exchanged()).toBe(reason)
    expect(await exchanged()).toBe('accepted')
  })

  it('alter changes or removes the scope of the response', async () => {
    fault(
      faults.atToken(faults.moreScopes),
      faults.atToken({ kind: 'alter', body: { scope: 'openid' } }),
      faults.atToken(faults.noScope),
    )
    async function scopes() {
      const response = await application.redeem(await application.code())
      return ((await response.json()) as { scope?: string }).scope
    }
    expect((await scopes())?.split(' ')).toEqual(expect.arrayContaining(['User.Read', 'Directory.Read.All']))
    expect(await scopes()).toBe('openid')
    expect(await scopes()).toBeUndefined()
  })

  it('ignore-verifier redeems a code once, with any verifier or none', async () => {
    fault(faults.ignoreVerifier)
    for (const changes of [
      { code_verifier: 'v'.repeat(43) },
      { code_verifier: undefined },
      { code_verifier: '?' },
    ]) {
      const code = await application.code()
      expect((await application.redeem(code, changes)).status).toBe(200)
      expect(await (await application.redeem(code, changes)).json()).toMatchObject({ error_codes: [54005] })
    }
    const refused = await application.redeem(await application.code(), { client_secret: 'wrong' })
    expect(refused.status).toBe(401)
  })

  it('errors returns the envelope for an error or an AADSTS code', async () => {
    fault(
      faults.atToken(faults.aadsts({ code: 70043, error: 'invalid_grant' }, 400)),
      faults.atToken(faults.aadsts({ code: 7000222 })),
      faults.atToken(faults.throttledToken('7', 503)),
    )
    const unknown = await application.redeem('code')
    expect(unknown.status).toBe(400)
    expect(await unknown.json()).toMatchObject({ error: 'invalid_grant', error_codes: [70043] })
    const known = await application.redeem('code')
    expect(known.status).toBe(401)
    expect(await known.json()).toMatchObject({ error: 'invalid_client', error_codes: [7000222] })
    const throttled = await application.redeem('code')
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([503, '7'])
  })

  it('does not use up the code, unless commit is true', async () => {
    const code = await application.code()
    fault(faults.atToken(faults.gatewayPage), faults.atToken(faults.reset, { commit: true }))
    expect((await application.redeem(code)).status).toBe(503)
    await expect(application.redeem(code)).rejects.toThrow('fetch failed')
    expect(await (await application.redeem(code)).json()).toMatchObject({ error_codes: [54005] })
  })
})

describe('a fault at the profile', () => {
  it('errors returns the envelope of Graph', async () => {
    fault(
      faults.atProfile(faults.graphError(403, 'Authorization_RequestDenied')),
      faults.atProfile(faults.throttledProfile('1')),
    )
    const denied = await application.me('any')
    expect(await denied.json()).toMatchObject({ error: { code: 'Authorization_RequestDenied' } })
    expect(await (await application.me('any')).json()).toMatchObject({ error: { code: 'TooManyRequests' } })
  })
})

describe('a fault at the authorize endpoint', () => {
  it('wrong-iss adds an issuer to the redirect, which oauth4webapi refuses', async () => {
    fault(faults.atReturn(faults.otherIssuer))
    const { url } = await application.signIn('alice@example.com')
    expect(url.searchParams.get('iss')).toMatch(/^https:\/\/login\.example\.net\//)
    expect(await refusedBy(application.exchange(url))).toBe('OAUTH_INVALID_RESPONSE')
    expect(await exchanged()).toBe('accepted')
  })

  it('errors redirects to the application with the error', async () => {
    fault(faults.atAuthorize(faults.aadsts({ code: 53000, error: 'interaction_required' })))
    expect(returnedFields(await application.signIn('alice@example.com'))).toMatchObject({
      error: 'interaction_required',
      error_description: expect.stringMatching(/^AADSTS53000: /),
      state: application.state,
    })
    fault(faults.atAuthorize(faults.aadsts({ code: 53000, error: 'interaction_required' })))
    const elsewhere = await application.signIn('alice', { redirect_uri: 'https://attacker.example/' })
    expect(elsewhere.text).toContain('AADSTS53000')
  })

  it.each<[FaultAnswer, number]>([
    [faults.gatewayPage, 503],
    [faults.aadsts({ code: 50020 }, 400), 400],
    [faults.throttledToken('1'), 429],
  ])('%o returns a page', async (answer, status) => {
    fault(faults.atAuthorize(answer))
    expect((await application.browser().go(await application.authorization())).response?.status).toBe(status)
  })
})
